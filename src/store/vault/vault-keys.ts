/** Wrapped keys: the instance's, and one for each workspace that has secrets. */

import type { Entity } from '../mapping.ts';
import { preparedInsertNew } from '../prepared-insert.ts';
import { findRow, listRows, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { vaultKeys } from './vault-mappings.ts';

export type WrappedKey = Entity<typeof vaultKeys>;

export const findWrappedKey = (db: Db, name: string): Promise<WrappedKey | null> => findRow(db, vaultKeys, { name });

/** Keeps the first key of a name. @returns whether it is this one */
export const insertWrappedKeyOnce: (tx: Tx, key: WrappedKey) => Promise<boolean> = preparedInsertNew(vaultKeys);

export const listWrappedKeys = (db: Db): Promise<WrappedKey[]> => listRows(db, vaultKeys, {});

export const updateWrappedKey = (
  tx: Tx,
  { name, masterId, wrapped }: Pick<WrappedKey, 'name' | 'masterId' | 'wrapped'>,
): Promise<void> => updateRows(tx, vaultKeys, { name }, { masterId, wrapped });
