/** Passkeys of owners: WebAuthn credentials, by the id that the authenticator chose. */

import type { Millis } from '../../kernel/clock.ts';
import type { OwnerId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import type { Db, Tx } from '../store.ts';
import { toBlob } from '../values.ts';
import { passkeys } from './owners-mappings.ts';

export type Passkey = Entity<typeof passkeys>;

const insert = preparedInsert(passkeys, (conflict) => conflict.doNothing());

/** @returns false where the credential is known already */
export const insertPasskey = async (tx: Tx, passkey: Passkey): Promise<boolean> => (await insert(tx, passkey)) > 0;

export const findPasskey = async (db: Db, id: Uint8Array): Promise<Passkey | null> => {
  const row = await db.selectFrom('passkeys').selectAll().where('id', '=', id).executeTakeFirst();
  return row ? passkeys.read(row) : null;
};

/** The oldest first. */
export const listPasskeysOf = async (db: Db, ownerId: OwnerId): Promise<Passkey[]> => {
  const rows = await db
    .selectFrom('passkeys')
    .selectAll()
    .where('owner_id', '=', toBlob(ownerId))
    .orderBy('created_at')
    .execute();
  return rows.map(passkeys.read);
};

/** Records a use. */
export const touchPasskey = async (tx: Tx, id: Uint8Array, counter: number, now: Millis): Promise<void> => {
  await tx.db.updateTable('passkeys').set({ counter, last_used_at: now }).where('id', '=', id).execute();
};

/** @returns false where the owner has no such passkey */
export const deletePasskey = async (tx: Tx, ownerId: OwnerId, id: Uint8Array): Promise<boolean> => {
  const result = await tx.db
    .deleteFrom('passkeys')
    .where('id', '=', id)
    .where('owner_id', '=', toBlob(ownerId))
    .executeTakeFirst();
  if (result.numDeletedRows > 0n) tx.noteEnding(id);
  return result.numDeletedRows > 0n;
};

export const deletePasskeysOf = async (tx: Tx, ownerId: OwnerId): Promise<void> => {
  for (const { id } of await listPasskeysOf(tx.db, ownerId)) await deletePasskey(tx, ownerId, id);
};
