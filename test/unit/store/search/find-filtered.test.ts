/** A search by filters alone ends with its time, and its cursor goes on. */

import t from 'tap';
import { parseSearch } from '../../../../src/resources/search/query.ts';
import { type FilterRow, findFiltered } from '../../../../src/store/search/find-filtered.ts';
import type {
  SearchHit,
  SearchPart,
  SearchPosition,
  SearchQuery,
} from '../../../../src/store/search/full-text-search.ts';
import { openSmallStore } from '../../../harness/small-store.ts';
import { storeMails } from '../../../harness/stored-mail.ts';

const filteredBy = (text: string): SearchQuery => {
  const query = parseSearch(text);
  if (!query || query.all.length > 0) throw new Error(`“${text}” is not of filters alone.`);
  return query;
};
/** More than two windows of rows. */
const MAILS = 4_100;

t.test('a filter that little fits', async (t) => {
  const small = await openSmallStore(t);
  const { store, mailboxId, newId } = small;
  await storeMails(store, newId, mailboxId, MAILS, (n) => ({ subject: `Mail ${n}`, direction: n < 3 ? 'out' : 'in' }));
  const outgoing = filteredBy('in:out');
  let part: SearchPart = { below: null, downTo: null, after: null };
  const subjects: string[] = [];
  const pages: number[] = [];
  for (;;) {
    const page = await store.search([mailboxId], outgoing, part, { limit: 10, timeMs: 0 });
    subjects.push(...page.hits.map(({ subject }) => subject));
    pages.push(page.hits.length);
    if (page.rankedDownTo === null) break;
    part = { below: page.rankedDownTo, downTo: null, after: null };
  }
  t.same(pages, [0, 0, 3], 'each call looks at a bounded number of rows');
  t.same(subjects, ['Mail 2', 'Mail 1', 'Mail 0'], 'newest first');
  /** A page, from as many calls as it takes: a call ends with its time, which a busy machine uses up sooner. */
  const page = async (after: SearchHit | null): Promise<SearchHit[]> => {
    const hits: SearchHit[] = [];
    for (let below: number | null = null; ; ) {
      const limits = { limit: 2 - hits.length, timeMs: 9_000 };
      const part = await store.search([mailboxId], outgoing, { below, downTo: null, after }, limits);
      hits.push(...part.hits);
      below = part.rankedDownTo;
      if (below === null) return hits;
    }
  };
  const first = await page(null);
  t.match(first, [{ subject: 'Mail 2' }, { subject: 'Mail 1' }]);
  t.match(await page(first.at(-1) ?? null), [{ subject: 'Mail 0' }]);
  const none = await store.search([mailboxId], filteredBy('has:attachment'), part, { limit: 2, timeMs: 9_000 });
  t.same(none.hits, []);
});

t.test('mails of several mailboxes that have the same time are all found, once', async (t) => {
  const rows = Array.from({ length: MAILS }, (_, seq): FilterRow => ({ seq, createdAt: Math.floor(seq / 3), fits: 1 }));
  const read = (below: number, width: number) =>
    rows
      .filter(({ createdAt }) => createdAt < below)
      .sort((one, other) => other.createdAt - one.createdAt)
      .slice(0, width);
  const walk = async (limit: number, timeMs: number): Promise<number[]> => {
    const seqs: number[] = [];
    let part: SearchPart = { below: null, downTo: null, after: null };
    for (;;) {
      const { best, rankedDownTo } = await findFiltered(read, part, { limit, timeMs });
      seqs.push(...best.map(({ seq }) => seq));
      const after: SearchPosition | undefined = best.length === limit ? best.at(-1) : undefined;
      if (!after && rankedDownTo === null) return seqs;
      part = { below: rankedDownTo, downTo: null, after: after ?? null };
    }
  };
  const newestFirst = rows.map(({ seq }) => seq).reverse();
  t.same(await walk(100, 9_000), newestFirst, 'by full pages');
  t.same(await walk(MAILS, 0), newestFirst, 'by windows that end with their time');
});
