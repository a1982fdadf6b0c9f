/** The thread that writes the index of words: one batch for each call. */

import { workerData } from 'node:worker_threads';
import { listTextsAfter } from '../../mail/message-texts.ts';
import type { IndexedBatch } from '../../search/indexer.ts';
import { createPool, openDb } from '../connections.ts';
import { whileLost } from '../lost-connections.ts';
import { findLastIndexed, insertMessageWords } from './message-words.ts';

/** Who removes a text that is being indexed waits for the batch. */
const TEXTS_AT_ONCE = 50;

const { url } = workerData as { url: string };
const pool = createPool(url, 1);
const db = openDb({ query: (query) => whileLost(() => pool.query(query)) });

export default async (): Promise<IndexedBatch> => {
  const texts = await listTextsAfter(db, await findLastIndexed(db), TEXTS_AT_ONCE);
  if (texts.length > 0) await insertMessageWords(db, texts);
  return { removed: [], isMore: texts.length > 0 };
};
