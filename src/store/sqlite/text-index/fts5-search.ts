/** Full-text search by FTS5: finds the newest matches, which a search thread ranks. */

import { sql } from 'kysely';
import { idToBytes, type MailboxId } from '../../../kernel/ids.ts';
import { byFilter, fitting } from '../../search/find-filtered.ts';
import type { Search, SearchQuery } from '../../search/full-text-search.ts';
import type { Indexer } from '../../search/indexer.ts';
import type { Db } from '../../store.ts';
import { toMatchExpression } from './fts5-expression.ts';
import type { FoundPage, SearchJob } from './search-job.ts';

/** The mailboxes' rows of a window, newest first: its bounds are the last parameters. */
const byWords = (mailboxIds: readonly MailboxId[], query: SearchQuery) =>
  // `+` keeps the walk on the rows' numbers, which the index has as well.
  sql`
    select m.seq, m.created_at as createdAt, ${fitting(query)} as fits
    from messages m where +m.mailbox_id in (${sql.join(mailboxIds.map(idToBytes))}) and m.seq < ${0} and m.seq >= ${0}
    order by m.seq desc`;

/** Builds the SQL here and runs it in a search thread, which reports the index's state to the indexer. */
export const createSearch =
  (db: Db, run: (job: SearchJob) => Promise<FoundPage>, indexer: Pick<Indexer, 'foundDamaged' | 'catchUp'>): Search =>
  async (mailboxIds, query, part, { limit, timeMs }) => {
    const isFilter = query.all.length === 0 && query.none.length === 0;
    const chosen = isFilter ? byFilter(mailboxIds, query, 0, 0) : byWords(mailboxIds, query);
    const { sql: text, parameters } = chosen.compile(db);
    const { all, none } = query;
    if (isFilter) {
      return run({ kind: 'filter', sql: text, parameters: parameters.slice(0, -2), part, limit, timeMs });
    }
    const page = await run({
      kind: 'words',
      match: toMatchExpression(mailboxIds, query),
      sql: text,
      parameters: parameters.slice(0, -2),
      all,
      none,
      part,
      limit,
      timeMs,
    });
    if (page.isIndexDamaged) indexer.foundDamaged();
    else if (page.isIndexBehind) indexer.catchUp();
    return page;
  };
