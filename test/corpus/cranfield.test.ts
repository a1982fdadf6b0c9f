/** How well the knowledge search ranks: nDCG@10 on Cranfield, whose plain BM25 has 0.347, with Porter stemming 0.369. */

import t from 'tap';
import { measureRetrieval } from '../../scripts/bench/search/retrieval.ts';
import { atNight } from '../harness/long-form.ts';
import { missingCorpora } from './corpora.ts';

/** As built it is 0.425; a change that takes it below is looked at. */
const LEAST = 0.41;

t.test('passages are ranked better than by plain BM25', { skip: missingCorpora || atNight }, async (t) => {
  const { qualities } = await measureRetrieval();
  const [plain, stemmed, own] = qualities.map(({ ndcgAtTen }) => ndcgAtTen);
  t.equal(plain?.toFixed(3), '0.347');
  t.equal(stemmed?.toFixed(3), '0.369');
  t.ok((own ?? 0) >= LEAST, `nDCG@10 ${own?.toFixed(3)}`);
});
