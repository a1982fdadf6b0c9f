/** Named values of the box itself, such as the key that return paths are signed with. */

import type { Db, Tx } from './store.ts';

export const findSetting = async (db: Db, name: string): Promise<Buffer | null> => {
  const row = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  return row ? Buffer.from(row.value) : null;
};

/** Keeps the first value ever written under `name`. */
export const insertSettingOnce = async (tx: Tx, name: string, value: Uint8Array): Promise<void> => {
  await tx.db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
};
