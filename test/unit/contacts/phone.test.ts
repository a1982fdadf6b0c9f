import t from 'tap';
import { hasDigit, phoneKey, toE164 } from '../../../src/contacts/phone.ts';
import { linesOf } from '../../harness/lines.ts';

t.test('a number with its country is E.164, however it is written', async (t) => {
  for (const text of [
    ...linesOf`
    +41 44 668 18 00
    0041446681800
    +41-44-668-18-00
    ＋41 44 668 18 00
  `,
    ' (+41) 44 668 18 00',
  ])
    t.equal(toE164(text), '+41446681800', text);
  t.equal(toE164('00-1-212-555-7777'), '+12125557777');
  t.equal(toE164('+1-418-656-9254 ext. 102'), '+14186569254');
});

t.test('a number without its country, or of no length that the country has, is none', async (t) => {
  for (const text of [
    ...linesOf`
    044 668 18 00
    905-666-1234
    +
    00
    +41
    +999 123 456
    BusinessPhone
  `,
    '',
    '+41 1'.repeat(50),
  ])
    t.equal(toE164(text), null, text);
});

t.test('numbers are compared by E.164, else by their digits', async (t) => {
  t.equal(phoneKey('+41 44 668 18 00'), phoneKey('0041 (44) 6681800'));
  t.equal(phoneKey('(905) 555-1234'), '9055551234');
  t.equal(phoneKey('٠٤٤ ٦٦٨'), '044668');
  t.equal(phoneKey('０４４'), '044');
  t.equal(phoneKey('Reception'), '');
  t.equal(phoneKey('+1-418-656-9254 ext. 102'), '+14186569254;ext=102');
  t.not(phoneKey('+1-418-656-9254 ext. 102'), phoneKey('+1-418-656-9254'));
});

t.test('a number has a digit where it has a form for comparison', async (t) => {
  for (const text of [
    '+41 44 668 18 00',
    '٠٤٤',
    '０４４',
    '①',
    'ext. 2',
    'Reception',
    '+',
    '',
    `${' '.repeat(100)}1`,
  ]) {
    t.equal(hasDigit(text), phoneKey(text) !== '', text);
  }
});

t.test('long text costs nothing', async (t) => {
  t.equal(toE164(`+${'4'.repeat(1_000_000)}`), null);
  t.equal(phoneKey(`+${'4'.repeat(1_000_000)}`).length, 99);
});
