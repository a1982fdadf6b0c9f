/** A search by filters alone ends with its time, and its cursor goes on. */

import t from 'tap';
import { parseSearch } from '../../../../src/resources/search/query.ts';
import type { SearchHit, SearchPart, SearchQuery } from '../../../../src/store/search/full-text-search.ts';
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
