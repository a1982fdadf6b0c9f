/** Lists held mail some at a time: SQLite walks the pages of a mail's bytes to what stands behind them. */

import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { type HeldFilter, type HeldSend, listHeldSends } from '../../store/sending/held-sends.ts';
import type { Db } from '../../store/store.ts';

/** Of 1 MiB they take some 20 ms. */
const AT_ONCE = 10;

/** Undecided, newest first. */
export const listHeld = async (db: Db, filter: HeldFilter): Promise<HeldSend[]> => {
  const rows: HeldSend[] = [];
  for (let { after = null } = filter; rows.length < filter.limit; ) {
    const limit = Math.min(AT_ONCE, filter.limit - rows.length);
    const part = await listHeldSends(db, { ...filter, after, limit });
    rows.push(...part);
    const last = part.at(-1);
    if (!last || part.length < limit) break;
    after = { at: last.createdAt, id: last.id };
    await yieldToLoop();
  }
  return rows;
};
