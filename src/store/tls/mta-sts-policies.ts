/** MTA-STS policies as they were fetched, cached until they expire. */

import type { Millis } from '../../kernel/clock.ts';
import type { Entity } from '../mapping.ts';
import { preparedPut } from '../prepared-insert.ts';
import { atMost, deleteRows, findRow } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { mtaStsPolicies } from './tls-mappings.ts';

export type CachedStsPolicy = Entity<typeof mtaStsPolicies>;

export const findStsPolicy = (db: Db, domain: string): Promise<CachedStsPolicy | null> =>
  findRow(db, mtaStsPolicies, { domain });

const put = preparedPut(mtaStsPolicies);

/** Replaces the domain's earlier one. */
export const putStsPolicy = async (tx: Tx, policy: CachedStsPolicy): Promise<void> => {
  await put(tx, policy);
};

export const purgeStsPolicies = async (tx: Tx, now: Millis): Promise<void> => {
  await deleteRows(tx, mtaStsPolicies, { expiresAt: atMost(now) });
};
