/** Named values of the instance, such as the key that signs return paths. */

import { preparedInsert, preparedPut } from './prepared-insert.ts';
import { findValue, listRows, within } from './rows.ts';
import { settings } from './settings-mapping.ts';
import type { Db, Tx } from './store.ts';

export const findSetting = (db: Db, name: string): Promise<Buffer | null> => findValue(db, settings, 'value', { name });

/** The values of names that begin so, by name. */
export const listSettings = async (db: Db, beginning: string): Promise<Map<string, Buffer>> => {
  const begun = await listRows(db, settings, { name: within(beginning, `${beginning}\u{10ffff}`) });
  return new Map(begun.map(({ name, value }) => [name, value]));
};

const insertOnce = preparedInsert(settings, (conflict) => conflict.doNothing());

const put = preparedPut(settings);

/** Writes a value in the place of the one there is. */
export const putSetting = (tx: Tx, name: string, value: Uint8Array): Promise<void> =>
  put(tx, { name, value: Buffer.from(value) });

/** Keeps the first value ever written under `name`. */
export const insertSettingOnce = (tx: Tx, name: string, value: Uint8Array): Promise<void> =>
  insertOnce(tx, { name, value: Buffer.from(value) });
