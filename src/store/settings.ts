/** Named values of the instance, such as the key that signs return paths. */

import { preparedInsert } from './prepared-insert.ts';
import { settings } from './settings-mapping.ts';
import type { Db, Tx } from './store.ts';

export const findSetting = async (db: Db, name: string): Promise<Buffer | null> => {
  const row = await db.selectFrom('settings').selectAll().where('name', '=', name).executeTakeFirst();
  return row ? settings.read(row).value : null;
};

const insertOnce = preparedInsert(settings, (conflict) => conflict.doNothing());

const put = preparedInsert(settings, (conflict) =>
  conflict.column('name').doUpdateSet((eb) => ({ value: eb.ref('excluded.value') })),
);

/** Writes a value in the place of the one there is. */
export const putSetting = async (tx: Tx, name: string, value: Uint8Array): Promise<void> => {
  await put(tx, { name, value: Buffer.from(value) });
};

/** Keeps the first value ever written under `name`. */
export const insertSettingOnce = async (tx: Tx, name: string, value: Uint8Array): Promise<void> => {
  await insertOnce(tx, { name, value: Buffer.from(value) });
};
