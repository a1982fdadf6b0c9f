/** The URLs of a crawl: waiting, and done. */

import { preparedInsertNew } from '../prepared-insert.ts';
import { deleteSome, findRow, findValue, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { type CrawlUrl, knowledgeUrls, type UrlState } from './knowledge-mappings.ts';

/** Adds a URL unless it is known. @returns whether it is new */
export const addCrawlUrl: (tx: Tx, url: Omit<CrawlUrl, 'seq'>) => Promise<boolean> = preparedInsertNew(
  knowledgeUrls.omit('seq'),
);

/** The waiting URL nearest to the start. */
export const nextCrawlUrl = (db: Db, sourceSeq: number): Promise<CrawlUrl | null> =>
  findRow(db, knowledgeUrls, { sourceSeq, state: 'waiting' }, { order: { depth: 'asc', seq: 'asc' } });

/** Sets the state of a URL, which is added where it is not known, as the end of a redirect. */
export const setCrawlUrlState = async (
  tx: Tx,
  { sourceSeq, url, depth }: Pick<CrawlUrl, 'sourceSeq' | 'url' | 'depth'>,
  state: UrlState,
): Promise<void> => {
  if (await addCrawlUrl(tx, { sourceSeq, url, depth, state })) return;
  await updateRows(tx, knowledgeUrls, { sourceSeq, url }, { state });
};

export const isCrawlUrlDone = async (db: Db, sourceSeq: number, url: string): Promise<boolean> =>
  ((await findValue(db, knowledgeUrls, 'state', { sourceSeq, url })) ?? 'waiting') !== 'waiting';

/** How many URLs it knows, by their state. */
export const countCrawlUrls = async (db: Db, sourceSeq: number): Promise<Record<UrlState, number>> => {
  const rows = await db
    .selectFrom('knowledge_urls')
    .select((eb) => ['state', eb.fn.countAll<number>().as('count')])
    .where('source_seq', '=', sourceSeq)
    .groupBy('state')
    .execute();
  const counts: Record<UrlState, number> = { waiting: 0, done: 0, failed: 0 };
  for (const { state, count } of rows) counts[state] = Number(count);
  return counts;
};

/** @returns the number of rows that were deleted, at most `limit` */
export const deleteCrawlUrls = (tx: Tx, sourceSeq: number, limit: number): Promise<number> =>
  deleteSome(tx, knowledgeUrls, { sourceSeq }, limit);
