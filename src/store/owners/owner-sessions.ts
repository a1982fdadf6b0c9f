/** Sessions of owners. Only the hash of a session's secret is stored. */

import type { Millis } from '../../kernel/clock.ts';
import type { OwnerId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import type { Db, Tx } from '../store.ts';
import { toBlob } from '../values.ts';
import { ownerSessions } from './owners-mappings.ts';

export type StoredOwnerSession = Entity<typeof ownerSessions>;

const insert = preparedInsert(ownerSessions);

export const insertOwnerSession = async (tx: Tx, session: StoredOwnerSession): Promise<void> => {
  await insert(tx, session);
};

/** The session, where it is valid at `now`. */
export const findOwnerSession = async (db: Db, hash: Uint8Array, now: Millis): Promise<StoredOwnerSession | null> => {
  const row = await db
    .selectFrom('owner_sessions')
    .selectAll()
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row ? ownerSessions.read(row) : null;
};

export const touchOwnerSession = async (tx: Tx, hash: Uint8Array, now: Millis, expiresAt: Millis): Promise<void> => {
  await tx.db
    .updateTable('owner_sessions')
    .set({ last_used_at: now, expires_at: expiresAt })
    .where('hash', '=', hash)
    .execute();
};

/** @returns false where there was none */
export const deleteOwnerSession = async (tx: Tx, hash: Uint8Array): Promise<boolean> => {
  const result = await tx.db.deleteFrom('owner_sessions').where('hash', '=', hash).executeTakeFirst();
  return result.numDeletedRows > 0n;
};

/** @returns how many there were */
export const deleteSessionsOf = async (tx: Tx, ownerId: OwnerId): Promise<number> => {
  const result = await tx.db.deleteFrom('owner_sessions').where('owner_id', '=', toBlob(ownerId)).executeTakeFirst();
  return Number(result.numDeletedRows);
};

/** Those that are valid at `now`, the last used first. */
export const listSessionsOf = async (db: Db, ownerId: OwnerId, now: Millis): Promise<StoredOwnerSession[]> => {
  const rows = await db
    .selectFrom('owner_sessions')
    .selectAll()
    .where('owner_id', '=', toBlob(ownerId))
    .where('expires_at', '>', now)
    .execute();
  return rows.map(ownerSessions.read).sort((one, other) => other.lastUsedAt - one.lastUsedAt);
};

/** Deletes the owner's oldest sessions but `kept`. */
export const trimSessionsOf = async (tx: Tx, ownerId: OwnerId, kept: number): Promise<void> => {
  const rows = await tx.db
    .selectFrom('owner_sessions')
    .select('hash')
    .where('owner_id', '=', toBlob(ownerId))
    .orderBy('created_at', 'desc')
    .execute();
  for (const { hash } of rows.slice(kept)) await deleteOwnerSession(tx, hash);
};

export const purgeOwnerSessions = async (tx: Tx, now: Millis): Promise<void> => {
  await tx.db.deleteFrom('owner_sessions').where('expires_at', '<=', now).execute();
};
