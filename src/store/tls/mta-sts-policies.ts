/** MTA-STS policies as they were fetched, cached until they expire. */

import type { Millis } from '../../kernel/clock.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import type { Db, Tx } from '../store.ts';
import { mtaStsPolicies } from './tls-mappings.ts';

export type CachedStsPolicy = Entity<typeof mtaStsPolicies>;

export const findStsPolicy = async (db: Db, domain: string): Promise<CachedStsPolicy | null> => {
  const row = await db.selectFrom('mta_sts_policies').selectAll().where('domain', '=', domain).executeTakeFirst();
  return row ? mtaStsPolicies.read(row) : null;
};

const replaced = mtaStsPolicies.omit('domain').names;
const put = preparedInsert(mtaStsPolicies, (conflict) =>
  conflict
    .column('domain')
    .doUpdateSet((eb) => Object.fromEntries(replaced.map((name) => [name, eb.ref(`excluded.${name}`)]))),
);

/** Replaces the domain's earlier one. */
export const putStsPolicy = async (tx: Tx, policy: CachedStsPolicy): Promise<void> => {
  await put(tx, policy);
};

export const purgeStsPolicies = async (tx: Tx, now: Millis): Promise<void> => {
  await tx.db.deleteFrom('mta_sts_policies').where('expires_at', '<=', now).execute();
};
