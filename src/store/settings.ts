/** Named values of the instance, such as the key that signs return paths. */

import { preparedInsert } from './prepared-insert.ts';
import { settings } from './settings-mapping.ts';
import type { Db, Tx } from './store.ts';

export const findSetting = async (db: Db, name: string): Promise<Buffer | null> => {
  const row = await db.selectFrom('settings').selectAll().where('name', '=', name).executeTakeFirst();
  return row ? settings.read(row).value : null;
};

/** The values of names that begin so, by name. */
export const listSettings = async (db: Db, beginning: string): Promise<Map<string, Buffer>> => {
  const rows = await db
    .selectFrom('settings')
    .selectAll()
    .where('name', '>=', beginning)
    .where('name', '<', `${beginning}\u{10ffff}`)
    .execute();
  return new Map(rows.map((row) => settings.read(row)).map(({ name, value }) => [name, value]));
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
