/** Searches in threads with connections of their own: what the server has found is read and ranked beside the daemon's loop. */

import type { Search } from '../../search/full-text-search.ts';
import type { PassageHit, PassageJob, PassageSearch } from '../../search/passages/passage-search.ts';
import { createThreadPool, SEARCH_IDLE_MS } from '../../search/thread-pool.ts';
import { UnwritableError } from '../../store-errors.ts';
import type { FoundPage, MessageJob } from './search-messages.ts';

/** Searches at once, each with a thread and a connection. */
const THREADS = 4;

export interface Searching {
  readonly messages: Search;
  readonly passages: PassageSearch;
  close(): Promise<void>;
}

/** A server that does not answer, as a thread tells it: a structured clone of an error loses its class. */
export interface NoAnswer {
  readonly unwritable: string;
}

const orThrow = <Found extends object>(found: Found | NoAnswer): Found => {
  if ('unwritable' in found) throw new UnwritableError(found.unwritable);
  return found;
};

/** @param onBehind texts were read that are not indexed yet */
export const createSearching = (url: string, onBehind: () => void): Searching => {
  const worker = new URL('./searching.worker.ts', import.meta.url);
  const threads = createThreadPool<MessageJob | PassageJob>(worker, { url }, { most: THREADS, idleMs: SEARCH_IDLE_MS });
  return {
    messages: async (mailboxIds, query, part, bounds) => {
      const job = { kind: 'messages', mailboxIds, query, part, bounds } as const;
      const page = orThrow(await threads.run<FoundPage | NoAnswer>(job));
      if (page.isIndexBehind) onBehind();
      return page;
    },
    passages: async (query) => orThrow(await threads.run<PassageHit[] | NoAnswer>({ kind: 'passages', ...query })),
    close: threads.close,
  };
};
