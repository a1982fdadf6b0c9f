import t from 'tap';
import { createRandom } from '../../../../scripts/fuzz/random.ts';
import { formatVCard, formatVCards } from '../../../../src/contacts/vcard/format-vcard.ts';
import { makeCard, readAll, readOne } from './cards.ts';

const SEED = 20261121;
const CARDS = 2_000;

t.test('what is written is read as the same card', async (t) => {
  for (let number = 0; number < CARDS; number += 1) {
    const card = makeCard(createRandom(SEED, number));
    const text = formatVCard(card);
    const failed = text
      .split('\r\n')
      .find((line) => Buffer.byteLength(line) > 75 || /[^\P{Cc}\t\x80-\x9f]/u.test(line) || !line.isWellFormed());
    if (failed !== undefined) t.fail(`card ${number}: ${JSON.stringify(failed)}`);
    if (!t.same(readOne(text), card, `card ${number}`)) break;
  }
});

t.test('so is a book, which is written in chunks', async (t) => {
  const cards = Array.from({ length: 900 }, (_, number) => makeCard(createRandom(SEED + 1, number)));
  const chunks: string[] = [];
  for await (const chunk of formatVCards(cards)) chunks.push(chunk);
  t.ok(chunks.length > 5, `${chunks.length} chunks`);
  t.same(readAll(chunks.join('')).cards, cards);
});

t.test('a book is written as it is read, a chunk at a time', async (t) => {
  let taken = 0;
  const endless = (function* () {
    for (;;) yield makeCard(createRandom(SEED + 2, taken++));
  })();
  const book = formatVCards(endless);
  await book.next();
  const first = taken;
  t.ok(first < 500, `${first} cards for the first chunk`);
  await book.next();
  t.ok(taken > first && taken < 3 * first + 100);
  await book.return(undefined);
});
