/** Verifies the chain of the activity log: every row within the retention, and both ends. */

import { setImmediate as yieldToLoop } from 'node:timers/promises';
import {
  type ActivityHead,
  type ActivityRow,
  findActivityEnd,
  listActivityChain,
} from '../store/activity/activity-log.ts';
import type { Db } from '../store/store.ts';
import { type ChainKey, isOwnHead, isSame, rowHash, rowMac, TAMPERED } from './chain.ts';

export interface ActivityFault {
  /** Null: the log as a whole. */
  seq: number | null;
  fault: 'altered' | 'missing' | 'out_of_chain' | 'wrong_mac' | 'truncated' | 'unexpected' | 'wrong_head' | 'tampered';
}

export interface ActivityVerdict {
  /** Whether the chain is whole; rows without MAC do not break it. */
  ok: boolean;
  /** Rows that were verified. */
  rows: number;
  /** Rows without MAC: written while the vault's key was missing, or forged without it. */
  withoutMac: number;
  /** Whether MACs could be checked, which needs the vault's key. */
  hasKey: boolean;
  head: { seq: number; hash: string };
  /** The first {@link MAX_FAULTS}. */
  faults: ActivityFault[];
}

const MAX_FAULTS = 100;
const ROWS_AT_ONCE = 500;

/** @throws never for a broken chain, which is a verdict */
export const verifyActivity = async (db: Db, key: ChainKey): Promise<ActivityVerdict> => {
  const end = await findActivityEnd(db);
  const walk = new ChainWalk(end, key);
  while (walk.seq < end.seq) {
    const rows = await listActivityChain(db, walk.seq, end.seq, ROWS_AT_ONCE);
    // Retention may have removed the oldest rows since the head was read.
    if (rows[0]?.seq !== walk.seq + 1) walk.skipPurged(await findActivityEnd(db));
    if (rows.length === 0) break;
    for (const row of rows) if (row.seq > walk.seq) walk.take(row);
    await yieldToLoop();
  }
  return walk.finish(end);
};

class ChainWalk {
  readonly #key: ChainKey;
  readonly #faults: ActivityFault[] = [];
  seq: number;
  #hash: Buffer;
  #rows = 0;
  #withoutMac = 0;
  #lastHasMac: boolean | null = null;

  constructor({ purgedSeq, purgedHash }: ActivityHead, key: ChainKey) {
    this.#key = key;
    this.seq = purgedSeq;
    this.#hash = purgedHash;
  }

  skipPurged({ purgedSeq, purgedHash }: ActivityHead): void {
    if (purgedSeq <= this.seq) return;
    this.seq = purgedSeq;
    this.#hash = purgedHash;
  }

  take(row: ActivityRow): void {
    if (row.seq !== this.seq + 1) this.#fault(this.seq + 1, 'missing');
    const own = rowHash(this.#hash, row);
    // Continues from the stored hash, so that rows after an altered one are verified against it.
    if (!isSame(own, row.hash)) this.#fault(row.seq, row.seq === this.seq + 1 ? 'altered' : 'out_of_chain');
    const mac = rowMac(this.#key, row.hash);
    if (row.mac === null) this.#withoutMac += 1;
    else if (mac && !isSame(mac, row.mac)) this.#fault(row.seq, 'wrong_mac');
    if (row.action === TAMPERED) this.#fault(row.seq, 'tampered');
    this.seq = row.seq;
    this.#hash = row.hash;
    this.#lastHasMac = row.mac !== null;
    this.#rows += 1;
  }

  finish(end: ActivityHead & { lastSeq: number }): ActivityVerdict {
    if (this.seq < end.seq) this.#fault(this.seq + 1, 'truncated');
    else if (!isSame(this.#hash, end.hash)) this.#fault(end.seq, 'out_of_chain');
    if (end.lastSeq > end.seq) this.#fault(end.seq + 1, 'unexpected');
    if (!isOwnHead(this.#key, end, this.#lastHasMac)) this.#fault(null, 'wrong_head');
    return {
      ok: this.#faults.length === 0,
      rows: this.#rows,
      withoutMac: this.#withoutMac,
      hasKey: this.#key !== null,
      head: { seq: end.seq, hash: end.hash.toString('hex') },
      faults: this.#faults,
    };
  }

  #fault(seq: number | null, fault: ActivityFault['fault']): void {
    if (this.#faults.length < MAX_FAULTS) this.#faults.push({ seq, fault });
  }
}
