/** Sessions of owners. Only the hash of a session's secret is stored. */

import type { Millis } from '../../kernel/clock.ts';
import type { OwnerId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { above, deleteAndCount, findRow, listRows, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { ownerSessions } from './owners-mappings.ts';

export type StoredOwnerSession = Entity<typeof ownerSessions>;

export const insertOwnerSession = preparedInsert(ownerSessions);

/** The session, where it is valid at `now`. */
export const findOwnerSession = (db: Db, hash: Uint8Array, now: Millis): Promise<StoredOwnerSession | null> =>
  findRow(db, ownerSessions, { hash, expiresAt: above(now) });

export const touchOwnerSession = (tx: Tx, hash: Uint8Array, now: Millis, expiresAt: Millis): Promise<void> =>
  updateRows(tx, ownerSessions, { hash }, { lastUsedAt: now, expiresAt });

/** @returns false where there was none */
export const deleteOwnerSession = async (tx: Tx, hash: Uint8Array): Promise<boolean> =>
  (await deleteAndCount(tx, ownerSessions, { hash })) > 0;

/** @returns how many there were */
export const deleteSessionsOf = (tx: Tx, ownerId: OwnerId): Promise<number> =>
  deleteAndCount(tx, ownerSessions, { ownerId });

const byLastUse = (one: StoredOwnerSession, other: StoredOwnerSession): number => other.lastUsedAt - one.lastUsedAt;

/** Those that are valid at `now`, the last used first. */
export const listSessionsOf = async (db: Db, ownerId: OwnerId, now: Millis): Promise<StoredOwnerSession[]> =>
  (await listRows(db, ownerSessions, { ownerId, expiresAt: above(now) })).sort(byLastUse);

/** Deletes the owner's sessions but `kept`, those that were not used for longest. */
export const trimSessionsOf = async (tx: Tx, ownerId: OwnerId, kept: number): Promise<void> => {
  const sessions = (await listRows(tx.db, ownerSessions, { ownerId })).sort(byLastUse);
  for (const { hash } of sessions.slice(kept)) await deleteOwnerSession(tx, hash);
};
