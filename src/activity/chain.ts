/**
 * The chain of the activity log. Each row's hash covers the row and the hash before it, so that a row that was altered,
 * removed or moved breaks the chain from there on. Whoever can write to the data file can compute hashes too; the MACs need
 * a key that only the vault's key opens, so that a chain made anew is told from the one that was written.
 */

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { ActivityHead, ActivityRow } from '../store/activity/activity-log.ts';

/** The act of a log that finds a head which it has not left so. */
export const TAMPERED = 'activity.tamper';

/** Null where the vault's key is missing: rows are written without MAC, and theirs cannot be checked. */
export type ChainKey = Buffer | null;

export const rowHash = (
  previous: Buffer,
  { seq, id, workspaceId, at, actor, action, subject, via, detail }: Omit<ActivityRow, 'hash' | 'mac'>,
): Buffer =>
  createHash('sha256')
    .update(previous)
    .update(JSON.stringify([seq, id, workspaceId, at, actor, action, subject, via, detail]))
    .digest();

export const rowMac = (key: ChainKey, hash: Buffer): Buffer | null =>
  key && createHmac('sha256', key).update('row').update(hash).digest();

/** Also covers how far retention has gone: neither end of the log can be cut off unseen. */
export const headMac = (
  key: ChainKey,
  { seq, hash, purgedSeq, purgedHash }: Omit<ActivityHead, 'mac'>,
): Buffer | null =>
  key && createHmac('sha256', key).update(`head ${seq} ${purgedSeq} `).update(hash).update(purgedHash).digest();

/**
 * Whether a log that has the key, or does not, has left its head so. One without MAC fits a log that was not begun, or a
 * last row without one: both are written by the same process.
 * @param lastHasMac whether the last row has a MAC; null: retention has removed it, or someone else
 */
export const isOwnHead = (key: ChainKey, head: ActivityHead, lastHasMac: boolean | null): boolean => {
  if (head.mac === null) return head.seq === 0 || (lastHasMac === null ? key === null : !lastHasMac);
  const own = headMac(key, head);
  return own === null || isSame(own, head.mac);
};

export const isSame = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);
