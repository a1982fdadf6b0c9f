/** A search for words ends with its time, also where the index matches much and its filters take little; its cursor goes on. */

import Database from 'better-sqlite3';
import t from 'tap';
import type { SearchPart, SearchQuery } from '../../../../src/store/search/full-text-search.ts';
import { findMatches } from '../../../../src/store/sqlite/text-index/find-matches.ts';
import type { WordsJob } from '../../../../src/store/sqlite/text-index/search-job.ts';
import { workedMs } from '../../../../src/store/sqlite/text-index/work-clock.ts';
import { ofSqlite } from '../../../harness/postgres/test-location.ts';
import { openSmallStore } from '../../../harness/small-store.ts';
import { storeMails } from '../../../harness/stored-mail.ts';

const test = ofSqlite(t, 'the engine of SQLite');
const FROM_THE_NEWEST: SearchPart = { below: null, downTo: null, after: null };
const OUTGOING: SearchQuery = {
  all: [[{ column: null, text: 'mail', prefix: false }]],
  none: [],
  hasAttachment: false,
  unread: null,
  direction: 'out',
  after: null,
  before: null,
};

test('a word that all have, and a filter that little fits', async (t) => {
  const { store, mailboxId, newId } = await openSmallStore(t);
  await storeMails(store, newId, mailboxId, 40, (n) => ({ subject: `Mail ${n}`, direction: n < 3 ? 'out' : 'in' }));
  let part = FROM_THE_NEWEST;
  const subjects: string[] = [];
  let pages = 0;
  for (;;) {
    const page = await store.search([mailboxId], OUTGOING, part, { limit: 10, timeMs: 0 });
    subjects.push(...page.hits.map(({ subject }) => subject));
    pages += 1;
    if (page.rankedDownTo === null) break;
    part = { below: page.rankedDownTo, downTo: null, after: null };
  }
  t.same(subjects, ['Mail 2', 'Mail 1', 'Mail 0'], 'each once');
  t.equal(pages, 40, 'without time each call looks at one row');

  const first = await store.search([mailboxId], OUTGOING, FROM_THE_NEWEST, { limit: 2, timeMs: 9_000 });
  t.match(first, { hits: [{ subject: 'Mail 2' }, { subject: 'Mail 1' }], rankedDownTo: null });
  const after = first.hits.at(-1) ?? null;
  const next = await store.search([mailboxId], OUTGOING, { ...FROM_THE_NEWEST, after }, { limit: 2, timeMs: 9_000 });
  t.match(next, { hits: [{ subject: 'Mail 0' }], rankedDownTo: null });
});

test('a page after the first ranks what the first has ranked, whatever time has passed', async (t) => {
  const { store, mailboxId, newId } = await openSmallStore(t);
  await storeMails(store, newId, mailboxId, 40, (n) => ({ subject: `Mail ${n}` }));
  const all: SearchQuery = { ...OUTGOING, direction: null };
  const part = { below: null, downTo: 11, after: { rank: Number.NEGATIVE_INFINITY, seq: 0 } };
  const { hits, rankedDownTo } = await store.search([mailboxId], all, part, { limit: 100, timeMs: 9_000 });
  t.equal(hits.length, 30);
  t.equal(rankedDownTo, 11, 'and says how far it came');
  const whole = await store.search([mailboxId], all, { ...part, downTo: null }, { limit: 100, timeMs: 9_000 });
  t.same([whole.hits.length, whole.rankedDownTo], [40, null], 'also where the first one came to the end');
});

test('a small mailbox is searched whole, however much work its rows are', async (t) => {
  const data = new Database(':memory:');
  t.teardown(() => data.close());
  data.exec('create table messages (seq integer primary key)');
  const seqs = Array.from({ length: 300 }, (_, at) => 300 - at);
  for (const seq of seqs) data.prepare('insert into messages values (?)').run(seq);
  const index = {
    current: () => ({
      position: 300,
      find: (_match: string, top: number, low: number) => seqs.filter((seq) => seq < top && seq >= low).values(),
    }),
    giveUp: () => undefined,
  };
  const matchesBelow = (below: number) => {
    const sql = 'select seq, 0 as createdAt, 1 as fits from messages where seq < ? and seq >= ?';
    const part = { ...FROM_THE_NEWEST, below };
    const job: WordsJob = {
      kind: 'words',
      match: '',
      sql,
      parameters: [],
      all: [],
      none: [],
      part,
      limit: 10,
      timeMs: 60_000,
    };
    return findMatches({ data, index }, job, ({ seq, createdAt }) => {
      const end = workedMs() + 1;
      while (workedMs() < end);
      return { seq, createdAt, rank: 0 };
    });
  };
  t.match(matchesBelow(100), { found: { length: 99 }, downTo: null });
  t.match(matchesBelow(301), { found: { length: 100 }, downTo: 201 }, 'a large one by pages');
});
