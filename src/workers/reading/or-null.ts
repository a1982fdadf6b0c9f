/** Reads an attachment in a thread, where a hostile file ends that thread alone. */

import { PoolBusy } from '../pool-busy.ts';

/** Null also where the file ended its thread, or exceeded the time or memory. @throws PoolBusy */
export const orNull = <T>(reading: Promise<T>): Promise<T | null> =>
  reading.catch((error: unknown) => {
    if (error instanceof PoolBusy) throw error;
    return null;
  });
