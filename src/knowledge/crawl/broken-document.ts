/** Documents that end the thread which reads them, or exceed its time or memory. */

import { PoolBusy } from '../../workers/pool-busy.ts';

export const UNPARSED = { kind: 'unreadable', reason: 'it could not be parsed' } as const;

/** @returns null where the document is broken @throws PoolBusy, which says nothing of it */
export const readOrNull = <T>(reading: Promise<T>): Promise<T | null> =>
  reading.catch((error: unknown) => {
    if (error instanceof PoolBusy) throw error;
    return null;
  });
