import t from 'tap';
import { toExcerpt } from '../../../../src/store/search/excerpt.ts';

const term = (text: string, more: { prefix?: boolean; column?: 'subject' | 'sender' } = {}) => ({
  text,
  prefix: more.prefix ?? false,
  column: more.column ?? null,
});
const mail = (body: string, subject = 'Hello') => ({ subject, body, snippet: body.slice(0, 20) });

t.test('the passage around the first match', async (t) => {
  const words = Array.from({ length: 100 }, (_, at) => `w${at}`).join(' ');
  t.equal(
    toExcerpt(mail(words), [term('w50')]),
    `…${words.slice(words.indexOf('w42'), words.indexOf('w50'))}**w50**${words.slice(words.indexOf(' w51'), words.indexOf(' w74'))}…`,
  );
  t.equal(toExcerpt(mail('An aardvark, he said.'), [term('AARDVARK')]), 'An **aardvark**, he said');
  t.equal(toExcerpt(mail('one\n two\tthree'), [term('one two')]), '**one two** three');
  t.equal(toExcerpt(mail('Crème brûlée'), [term('brulee'), term('creme')]), '**Crème brûlée**');
  t.equal(toExcerpt(mail('many words'), [term('wor', { prefix: true })]), 'many **words**');
});

t.test('the passage with the words as they were wanted', async (t) => {
  const filler = 'and so on '.repeat(40);
  const terms = `Some of this, of service. ${filler}These are the terms\nof service.`;
  t.match(
    toExcerpt(mail(terms), [term('terms of service')]),
    /^…[^*]*\*\*terms of service\*\*$/,
    'a phrase in sequence',
  );
  const both = `An invoice. ${filler}The invoice 4711 is due. ${filler}`;
  t.match(toExcerpt(mail(both), [term('invoice'), term('4711')]), /^…[^*]*\*\*invoice 4711\*\* is due/, 'most terms');
  t.match(toExcerpt(mail(both), [term('invoice'), term('carol')]), /^An \*\*invoice\*\*/, 'else the first');
  t.equal(toExcerpt(mail('Is INV-2024 paid in 2024'), [term('INV-2024')]), 'Is **INV**-**2024** paid in 2024');
  t.equal(toExcerpt(mail('A b, a c'), [term('a c', { prefix: true })]), 'A b, **a c**');
});

t.test('a match that is not in the body', async (t) => {
  t.equal(toExcerpt(mail('Nothing here', 'An aardvark'), [term('aardvark')]), 'An **aardvark** — Nothing here');
  t.equal(toExcerpt(mail('Nothing here'), [term('carol', { column: 'sender' })]), 'Nothing here');
  t.equal(toExcerpt(mail('carol wrote'), [term('carol', { column: 'sender' })]), 'carol wrote');
});

t.test("the text's own asterisks are left out", async (t) => {
  t.equal(toExcerpt(mail('Is **noon** fine'), [term('noon')]), 'Is **noon** fine');
  t.equal(toExcerpt(mail('Is **noon** fine?'), [term('carol', { column: 'sender' })]), 'Is noon fine?');
  t.equal(toExcerpt(mail('* one\n* two ***three*** 5*3'), [term('two')]), 'one **two** three 5 3');
  t.equal(toExcerpt(mail('**Nothing**', 'An *aardvark*'), [term('aardvark')]), 'An **aardvark** — Nothing');
});
