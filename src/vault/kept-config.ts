/** The text of the config, sealed in the store by the daemon that serves: one more box takes it from there. */

import { open, seal } from '../seal/envelope.ts';
import { findSetting, putSetting } from '../store/settings.ts';
import type { Db, Store } from '../store/store.ts';

const SETTING = 'config';

/** @returns null where none was kept, or under another key */
export const findKeptConfig = async (db: Db, vaultKey: Buffer): Promise<string | null> => {
  const sealed = await findSetting(db, SETTING);
  return (sealed && open(vaultKey, sealed, SETTING)?.toString()) ?? null;
};

export const keepConfig = async (store: Store, vaultKey: Buffer, text: string): Promise<void> => {
  if ((await findKeptConfig(store.read, vaultKey)) === text) return;
  await store.write((tx) => putSetting(tx, SETTING, seal(vaultKey, Buffer.from(text), SETTING)));
};
