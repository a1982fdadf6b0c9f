import t from 'tap';
import { readHtml } from '../../../../src/mail/html/read-html.ts';
import { reviewHtml } from '../../../../src/mail/html/review-html.ts';
import { parseMail } from '../../../../src/mail/mime/parse-message.ts';
import { differingHtmlText } from '../../../../src/mail/text/differing-html.ts';
import { isSameText } from '../../../../src/mail/text/same-text.ts';
import { everydayMails } from '../../../everyday/mails.ts';

t.test('numbers, addresses and hosts that are written otherwise make a difference', (t) => {
  const different: [string, string][] = [
    ['Pay 4800.00 EUR', 'Pay 48.0000 EUR'],
    ['Pay 4,800 EUR', 'Pay 4.800 EUR'],
    ['at a-b.example now', 'at ab.example now'],
    ['at A-B.example', 'at AB.example'],
    ['see https://x.test/Pay', 'see https://x.test/pay'],
    ['see https://x.test/a?b=1', 'see https://x.test/a/b=1'],
    ['see https://x.test/a_b', 'see https://x.test/ab'],
    ['to ann.b@x.test', 'to annb@x.test'],
    ['to ann+1@x.test', 'to ann1@x.test'],
    ['-5', '5'],
    ['(5.00)', '5.00'],
    ['$5', '€5'],
    ['5%', '5‰'],
    ['5%', '5'],
    ['<5 days', '5 days'],
    ['10:30', '1030'],
    ['1/2', '12'],
    ['10²', '102'],
    ['12 34', '123 4'],
    ['account DE89-3704', 'account DE893704'],
    ['version 1.10', 'version 11.0'],
    ['code A5-B', 'code A5B'],
    ['की', 'का'],
    ['Approved \u{1f44d}', 'Approved \u{1f44e}'],
    ['pay \u202e24', 'pay 24'],
    ['100 €', '100 $'],
    ['in €', 'in $'],
    ['a < b', 'a > b'],
    ['a = b', 'a ≠ b'],
    ['a ≤ b', 'a ≥ b'],
    ['>5 days', '5 days'],
    ['x −5', 'x 5'],
    ['5 + x', '5 − x'],
    ['100 %', '100 ‰'],
    ['✔ paid', '✘ paid'],
    ['☐ paid', '☑ paid'],
    ['code Ab3dE', 'code aB3De'],
    ['he is now here', 'he is nowhere'],
    ['please re-sign', 'please resign'],
    ['and/or', 'andor'],
  ];
  for (const [one, other] of different) {
    t.notOk(isSameText(one, other), `${one} | ${other}`);
    const html = `<p>${other.replaceAll('<', '&lt;')}</p>`;
    t.type(differingHtmlText(one, reviewHtml(html)), 'string', `${one} | ${other}, as HTML`);
  }
  t.end();
});

t.test('markup, white space and the punctuation of prose make none', (t) => {
  const same: [string, string][] = [
    ['Hi, *all* well.', 'Hi all well'],
    ['**4800.00 EUR** (net)', '4800.00 EUR net'],
    ['1. First\n2. Second', '1) First 2 Second'],
    ['See <https://x.test/a>.', 'See [https://x.test/a]'],
    ['[the docs](https://x.test/a/)', 'the docs [https://x.test/a]'],
    ['e-mail – well-known', 'e‐mail well known'],
    ['a *b*c **d**e, f.', 'a bc de f'],
    ['你好\n世界', '你好世界'],
    ['It’s “5” o\u00adclock', "It's 5 oclock"],
    ['> quoted 5\n> more', 'quoted 5 more'],
    ['Total:\t5.00 EUR', 'Total 5.00EUR'],
    ['caf\u00e9', 'cafe\u0301'],
    ['in 5, 6 and 7.', 'in 5 6 and 7'],
    ['Title\n=====\n+---+\n| a | b |\n+---+', 'TITLE a b'],
    ['• one\n▪ two\n● three\n- four\n* five', 'one two three four five'],
    ['>> Dear ~~Ann~~,\n>all well', 'Dear Ann, all well'],
    ['✔\ufe0f done', '✔ done'],
  ];
  for (const [one, other] of same) t.ok(isSameText(one, other), `${one} | ${other}`);
  t.end();
});

t.test('what a page shows is found in its reading, wherever its markup divides it', (t) => {
  const pages = [
    '<p>Pay <b>48</b>00<i>.00</i> EUR to <b>ann</b>@<wbr>x.test at HTTPS://x.test/<wbr>Path (<b>-5</b>) or <u>$</u>5</p>',
    '<table><tr><td>12</td><td>-34</td></tr><tr><td>Total:</td><td>(5.00)</td></tr></table>',
    '<p>see <a href="https://a-b.example/x">a<b>-b</b>.example</a>, 10<sup>2</sup>, e-mail</p>',
  ];
  for (const page of pages) t.notMatch(reviewHtml(page).text, /not shown by every program/, page);
  t.end();
});

t.test('a part beside its own reading is no other text', async (t) => {
  for (const [name, raw] of Object.entries(everydayMails)) {
    const { html } = await parseMail(Buffer.from(raw, 'latin1'));
    if (html !== null) t.ok(isSameText(readHtml(html).text.replace(/\s+/g, '\n> '), readHtml(html).text), name);
  }
});

t.test('a long text costs little', (t) => {
  const start = performance.now();
  for (const unit of ['a.', '1-', '@', '5 ', '.', '^²', 'a-b.c', '¹', '=', '>', 'a€', 'a>']) {
    isSameText(unit.repeat(300_000), unit.repeat(300_000));
  }
  t.ok(performance.now() - start < 15_000, `${performance.now() - start} ms`);
  t.end();
});
