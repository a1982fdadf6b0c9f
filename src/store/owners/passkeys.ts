/** Passkeys of owners: WebAuthn credentials, by the id that the authenticator chose. */

import type { Millis } from '../../kernel/clock.ts';
import type { OwnerId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsertNew } from '../prepared-insert.ts';
import { deleteAndCount, findRow, listRows, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { passkeys } from './owners-mappings.ts';

export type Passkey = Entity<typeof passkeys>;

/** @returns false where the credential is known already */
export const insertPasskey: (tx: Tx, passkey: Passkey) => Promise<boolean> = preparedInsertNew(passkeys);

export const findPasskey = (db: Db, id: Uint8Array): Promise<Passkey | null> => findRow(db, passkeys, { id });

/** The oldest first. */
export const listPasskeysOf = (db: Db, ownerId: OwnerId): Promise<Passkey[]> =>
  listRows(db, passkeys, { ownerId }, { order: { createdAt: 'asc' } });

/** Records a use. */
export const touchPasskey = (tx: Tx, id: Uint8Array, counter: number, now: Millis): Promise<void> =>
  updateRows(tx, passkeys, { id }, { counter, lastUsedAt: now });

/** @returns false where the owner has no such passkey */
export const deletePasskey = async (tx: Tx, ownerId: OwnerId, id: Uint8Array): Promise<boolean> => {
  const changed = await deleteAndCount(tx, passkeys, { id, ownerId });
  if (changed > 0) tx.noteRevocation(id);
  return changed > 0;
};

export const deletePasskeysOf = async (tx: Tx, ownerId: OwnerId): Promise<void> => {
  for (const { id } of await listPasskeysOf(tx.db, ownerId)) await deletePasskey(tx, ownerId, id);
};
