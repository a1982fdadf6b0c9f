/** The thread that writes the index of words: some batches for each call, by a connection that ends with it. */

import { workerData } from 'node:worker_threads';
import { listTextsAfter } from '../../mail/message-texts.ts';
import type { IndexedBatch } from '../../search/indexer.ts';
import { createClient, LONGEST_SILENCE_MS, openDb } from '../connections.ts';
import { whileLost } from '../lost-connections.ts';
import { findLastIndexed, insertMessageWords } from './message-words.ts';

/** Who removes a text that is being indexed waits for the batch. */
const TEXTS_AT_ONCE = 50;
const MOST_BATCHES = 10;
const { url } = workerData as { url: string };

/** @returns whether texts are left */
const indexSome = async (): Promise<boolean> => {
  const client = createClient(url, { silentMs: LONGEST_SILENCE_MS });
  try {
    await client.connect();
    const db = openDb(client);
    for (let batch = 0; batch < MOST_BATCHES; batch += 1) {
      const texts = await listTextsAfter(db, await findLastIndexed(db), TEXTS_AT_ONCE);
      if (texts.length === 0) return false;
      await insertMessageWords(db, texts);
    }
    return true;
  } finally {
    await client.end().catch(() => undefined);
  }
};

/** Where one of the texts is being removed, neither waits for the other: it runs again. */
export default async (): Promise<IndexedBatch> => ({ isMore: await whileLost(indexSome) });
