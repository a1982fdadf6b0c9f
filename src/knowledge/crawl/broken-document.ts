/** Reads documents that may end their thread, or exceed its time or memory. */

import { PoolBusy } from '../../workers/pool-busy.ts';

export const UNPARSED = { kind: 'unreadable', reason: 'it could not be parsed' } as const;

/** @returns null where the document is broken @throws PoolBusy, which does not concern the document */
export const readOrNull = <T>(reading: Promise<T>): Promise<T | null> =>
  reading.catch((error: unknown) => {
    if (error instanceof PoolBusy) throw error;
    return null;
  });
