import t from 'tap';
import { type CorpusCounts, countPassage, scorePassages } from '../../../../src/store/search/passages/bm25f.ts';
import { widenQuery } from '../../../../src/store/search/passages/feedback-terms.ts';

const corpus = (rows: Record<string, number>): CorpusCounts => ({ passages: 1_000, having: (term) => rows[term] ?? 5 });
const passage = (title: string, heading: string, body: string) =>
  countPassage({ title: title.split(' '), heading: heading.split(' '), body: body.split(' ') });
const filler = Array.from({ length: 40 }, (_, n) => `filler${n}`).join(' ');

t.test('title before heading before text, rare before common, often before once', (t) => {
  const passages = [
    passage('x', 'x', `ship ${filler}`),
    passage('x', 'ship', `x ${filler}`),
    passage('ship', 'x', `x ${filler}`),
    passage('x', 'x', `ship ship ship ${filler}`),
    passage('x', 'x', `common ${filler}`),
    passage('x', 'x', filler),
  ];
  const [text = 0, heading = 0, title = 0, thrice = 0, , none] = scorePassages(
    passages,
    new Map([['ship', 1]]),
    corpus({}),
  );
  t.ok(title > heading && heading > text && thrice > text && text > 0);
  t.equal(none, 0);
  const both = scorePassages(
    passages,
    new Map([
      ['ship', 1],
      ['common', 1],
    ]),
    corpus({ common: 400 }),
  );
  t.ok((both[0] ?? 0) > (both[4] ?? 0), 'a rare term tells more');
  t.ok((both[4] ?? 0) > 0);
  t.end();
});

t.test('feedback brings in what the best passages speak of, and keeps the query in front', async (t) => {
  const about = (n: number) => passage(`ship ${n}`, '', `ship harbour crane the 1990 filler0 own${n}`);
  const candidates = Array.from({ length: 8 }, (_, n) => ({ passage: about(n), score: 8 - n }));
  candidates.push(
    ...Array.from({ length: 20 }, (_, n) => ({ passage: passage('y', '', `ship other${n}`), score: 0.1 })),
  );
  const counts = { ...corpus({ filler0: 900, harbour: 9 }), count: async () => {} };
  const widened = await widenQuery(candidates, ['ship'], counts, (term) => term === 'the');
  t.ok(widened);
  t.ok((widened?.get('ship') ?? 0) >= 0.6);
  t.ok(widened?.has('harbour'));
  for (const term of ['the', '1990', 'filler0']) t.notOk(widened?.has(term), term);
  t.ok((widened?.size ?? 99) <= 21);
  t.equal(await widenQuery(candidates.slice(0, 3), ['ship'], counts, () => false), null, 'too few to learn from');
});
