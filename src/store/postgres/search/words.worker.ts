/** The thread that writes the index of words: some batches for each call, by a connection that ends with it. */

import { setTimeout as pause } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { listTextsAfter } from '../../mail/message-texts.ts';
import type { IndexedBatch } from '../../search/indexer.ts';
import { createClient, hasCode, LONGEST_SILENCE_MS, openDb } from '../connections.ts';
import { whileLost } from '../lost-connections.ts';
import { findLastIndexed, insertMessageWords } from './message-words.ts';

/** Who removes a text that is being indexed waits for the batch. */
const TEXTS_AT_ONCE = 50;
const MOST_BATCHES = 10;
/** lock_not_available: one of the texts is being removed. Neither waits for the other, and the batch is made again. */
const LOCKED = new Set(['55P03']);
const REMOVED_WITHIN_MS = 20;

const { url } = workerData as { url: string };

const whileRemoved = async (error: unknown): Promise<void> => {
  if (!hasCode(error, LOCKED)) throw error;
  await pause(REMOVED_WITHIN_MS);
};

/** @returns whether texts are left */
const indexSome = async (): Promise<boolean> => {
  const client = createClient(url, { silentMs: LONGEST_SILENCE_MS });
  try {
    await client.connect();
    const db = openDb(client);
    for (let batch = 0; batch < MOST_BATCHES; batch += 1) {
      const texts = await listTextsAfter(db, await findLastIndexed(db), TEXTS_AT_ONCE);
      if (texts.length === 0) return false;
      await insertMessageWords(db, texts).catch(whileRemoved);
    }
    return true;
  } finally {
    await client.end().catch(() => undefined);
  }
};

export default async (): Promise<IndexedBatch> => ({ isMore: await whileLost(indexSome) });
