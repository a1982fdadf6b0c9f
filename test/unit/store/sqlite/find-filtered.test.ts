/** A search by filters alone ends with its time, and its cursor goes on. */

import t from 'tap';
import type { SearchPart, SearchQuery } from '../../../../src/store/search/full-text-search.ts';
import { openSmallStore } from '../../../harness/small-store.ts';
import { storeMails } from '../../../harness/stored-mail.ts';

const NOTHING: SearchQuery = {
  all: [],
  none: [],
  hasAttachment: false,
  unread: null,
  direction: null,
  after: null,
  before: null,
};
/** More than two windows of rows. */
const MAILS = 4_100;

t.test('a filter that little fits', async (t) => {
  const small = await openSmallStore(t);
  const { store, mailboxId, newId } = small;
  await storeMails(store, newId, mailboxId, MAILS, (n) => ({ subject: `Mail ${n}`, direction: n < 3 ? 'out' : 'in' }));
  const outgoing = { ...NOTHING, direction: 'out' as const };
  let part: SearchPart = { below: null, downTo: null, after: null };
  const subjects: string[] = [];
  const pages: number[] = [];
  for (;;) {
    const page = await store.search(mailboxId, outgoing, part, { limit: 10, timeMs: 0 });
    subjects.push(...page.hits.map(({ subject }) => subject));
    pages.push(page.hits.length);
    if (page.rankedDownTo === null) break;
    part = { below: page.rankedDownTo, downTo: null, after: null };
  }
  t.same(pages, [0, 0, 3], 'each call looks at a bounded number of rows');
  t.same(subjects, ['Mail 2', 'Mail 1', 'Mail 0'], 'newest first');
  const first = await store.search(
    mailboxId,
    outgoing,
    { below: null, downTo: null, after: null },
    { limit: 2, timeMs: 9_000 },
  );
  t.match(first, { hits: [{ subject: 'Mail 2' }, { subject: 'Mail 1' }], rankedDownTo: null });
  const last = first.hits.at(-1) ?? null;
  const next = await store.search(
    mailboxId,
    outgoing,
    { below: null, downTo: null, after: last },
    { limit: 2, timeMs: 9_000 },
  );
  t.match(next, { hits: [{ subject: 'Mail 0' }], rankedDownTo: null });
  const none = await store.search(mailboxId, { ...NOTHING, hasAttachment: true }, part, { limit: 2, timeMs: 9_000 });
  t.same(none, { hits: [], rankedDownTo: null });
});
