/**
 * The chain of the activity log. Each row's hash covers the row and the previous hash, so an altered, removed or moved
 * row breaks the chain from there on. A writer of the data file could compute hashes anew, but not the MACs: their key
 * is sealed in the vault.
 */

import { createHash, createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { ActivityHead, ActivityRow } from '../store/activity/activity-log.ts';

/** The act recorded where the log finds an altered head. */
export const TAMPERED = 'activity.tamper';

/**
 * Null where the vault's key is missing: rows are written without MAC, and MACs cannot be checked. No bytes: Node takes
 * five times as long for a MAC with them.
 */
export type ChainKey = KeyObject | null;

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

/** Also covers the progress of retention, so that neither end of the log can be removed unnoticed. */
export const headMac = (
  key: ChainKey,
  { seq, hash, purgedSeq, purgedHash }: Omit<ActivityHead, 'mac'>,
): Buffer | null =>
  key && createHmac('sha256', key).update(`head ${seq} ${purgedSeq} `).update(hash).update(purgedHash).digest();

/**
 * Whether a log with, or without, the key has left this head. A head without MAC fits an empty log, or a last row
 * without one, because one process writes both.
 * @param lastHasMac whether the last row has a MAC; null: the row was removed, by retention or by an attacker
 */
export const isOwnHead = (key: ChainKey, head: ActivityHead, lastHasMac: boolean | null): boolean => {
  if (head.mac === null) return head.seq === 0 || (lastHasMac === null ? key === null : !lastHasMac);
  const own = headMac(key, head);
  return own === null || isSame(own, head.mac);
};

export const isSame = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);
