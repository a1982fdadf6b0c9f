/** Wrapped keys: the instance's, and one for each workspace that has secrets. */

import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { findRow, listRows, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { vaultKeys } from './vault-mappings.ts';

export type WrappedKey = Entity<typeof vaultKeys>;

export const findWrappedKey = (db: Db, name: string): Promise<WrappedKey | null> => findRow(db, vaultKeys, { name });

const insert = preparedInsert(vaultKeys, (conflict) => conflict.doNothing());

/** Keeps the first key of a name. @returns whether it is this one */
export const insertWrappedKeyOnce = async (tx: Tx, key: WrappedKey): Promise<boolean> => (await insert(tx, key)) > 0;

export const listWrappedKeys = (db: Db): Promise<WrappedKey[]> => listRows(db, vaultKeys, {});

export const updateWrappedKey = async (
  tx: Tx,
  { name, masterId, wrapped }: Pick<WrappedKey, 'name' | 'masterId' | 'wrapped'>,
): Promise<void> => {
  await updateRows(tx, vaultKeys, { name }, { masterId, wrapped });
};
