import t from 'tap';
import type { SearchTerm } from '../../../../src/store/search/full-text-search.ts';
import type { ScoredText } from '../../../../src/store/search/score.ts';
import { createVerifier } from '../../../../src/store/search/verify.ts';

const prefix = (text: string, column: SearchTerm['column'] = null): SearchTerm => ({ text, column, prefix: true });
const word = (text: string): SearchTerm => ({ text, column: null, prefix: false });
const mail = (body: string, more: Partial<ScoredText> = {}): ScoredText => ({
  subject: '',
  sender: '',
  recipients: '',
  attachments: '',
  body,
  ...more,
});
const isExact = (term: SearchTerm): boolean => !term.prefix;
const verify = (all: SearchTerm[][], none: SearchTerm[] = []) => {
  const check = createVerifier({ all, none }, isExact);
  return check && ((text: ScoredText) => check((column) => text[column]));
};

t.test('what the index answers needs no look', async (t) => {
  t.equal(verify([[word('tea')]], [word('milk')]), null);
});

t.test('beginnings of words, without case and diacritics', async (t) => {
  const cases: [term: SearchTerm, text: ScoredText, is: boolean][] = [
    [prefix('invoic'), mail('Your INVOICES'), true],
    [prefix('invoic'), mail('reinvoiced'), false],
    [prefix('invoic'), mail('invoi ced'), false],
    [prefix('brule'), mail('Crème brûlées'), true],
    [prefix('foo ba'), mail('Foo, bar'), true],
    [prefix('foo ba'), mail('foo and bar'), false],
    [prefix('a+b'), mail('a b'), true],
    [prefix('invoic', 'subject'), mail('invoices'), false],
    [prefix('invoic', 'subject'), mail('', { subject: 'Invoices' }), true],
    [prefix('invoic'), mail('', { attachments: 'invoice-7.pdf' }), true],
  ];
  for (const [term, text, is] of cases) t.equal(verify([[term]])?.(text), is, `${term.text}: ${JSON.stringify(text)}`);
});

t.test('words without blanks between them', async (t) => {
  const cases: [text: string, body: string, is: boolean][] = [
    ['天気', '明日の東京都の天気は', true],
    ['東京 都', '東京都', true],
    ['京東', '東京都', false],
    ['tea茶', '東tea茶', true],
    ['ea茶', 'tea茶', false],
  ];
  for (const [text, body, is] of cases) t.equal(verify([[prefix(text)]])?.(mail(body)), is, `${text}: ${body}`);
});

t.test('any of a group, all groups, and none of the excluded', async (t) => {
  const check = verify([[prefix('invoic'), word('bill')], [word('tea')]], [prefix('paymen')]);
  t.equal(check?.(mail('the bill')), true, 'what the index answers of another group is not looked for again');
  t.equal(check?.(mail('the billing')), false);
  t.equal(check?.(mail('an invoice')), true);
  t.equal(check?.(mail('an invoice, a payment')), false);
});
