/** Deletion of a removed source with all its rows, some at a time: a transaction holds up all others. */

import { deleteRows, listValues } from '../rows.ts';
import type { Tx } from '../store.ts';
import { deleteCrawlUrls } from './crawl-urls.ts';
import { knowledgePages, knowledgeSources } from './knowledge-mappings.ts';
import { deletePage, deletePassages } from './pages.ts';

/** @returns whether anything of it is left */
export const deleteSomeOfSource = async (tx: Tx, sourceSeq: number, limit: number): Promise<boolean> => {
  let left = limit - (await deleteCrawlUrls(tx, sourceSeq, limit));
  const first = { order: { seq: 'asc' }, limit: Math.max(left, 1) } as const;
  const pages = await listValues(tx.db, knowledgePages, 'seq', { sourceSeq }, first);
  for (const seq of pages) {
    left -= await deletePassages(tx, seq, null, Math.max(left, 1));
    if (left <= 0) return true;
    await deletePage(tx, seq);
    left -= 1;
  }
  if (left <= 0 || pages.length > 0) return true;
  await deleteRows(tx, knowledgeSources, { seq: sourceSeq });
  return false;
};
