/** Reads a document in a thread, which a hostile one may end, or have exceed its time or memory. */

import { requireFound } from '../../kernel/errors.ts';
import { PoolBusy } from '../pool-busy.ts';

/** @returns null where the document is broken @throws PoolBusy, which does not concern the document */
export const readOrNull = <T>(reading: Promise<T>): Promise<T | null> =>
  reading.catch((error: unknown) => {
    if (error instanceof PoolBusy) throw error;
    return null;
  });

/** As `readOrNull`. @throws ApiError message_unreadable where the mail is broken */
export const readOrRefuse = async <T>(reading: Promise<T>): Promise<T> =>
  requireFound(await readOrNull(reading), 'message_unreadable');
