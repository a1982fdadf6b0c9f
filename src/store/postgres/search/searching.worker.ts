/** A search thread, with a connection that is closed some seconds after its last search. */

import { workerData } from 'node:worker_threads';
import type { PassageHit, PassageJob } from '../../search/passages/passage-search.ts';
import { UnwritableError } from '../../store-errors.ts';
import { createPool, LONGEST_SILENCE_MS, openDb } from '../connections.ts';
import { whileLost } from '../lost-connections.ts';
import { createPassageSearch } from './passage-words.ts';
import { createSearch, type FoundPage, type MessageJob } from './search-messages.ts';
import type { NoAnswer } from './searching.ts';

const { url } = workerData as { url: string };
const pool = createPool(url, 1, { pipeline: true, silentMs: LONGEST_SILENCE_MS });
const db = openDb({ query: (query) => whileLost(() => pool.query(query)) });
const searchMessages = createSearch(db);
const searchPassages = createPassageSearch(db);

export default async (job: MessageJob | PassageJob): Promise<FoundPage | PassageHit[] | NoAnswer> => {
  try {
    return await (job.kind === 'passages' ? searchPassages(job) : searchMessages(job));
  } catch (error) {
    if (error instanceof UnwritableError) return { unwritable: error.message };
    throw error;
  }
};
