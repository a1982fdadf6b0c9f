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

/** Replaces the domain's earlier one. */
export const putStsPolicy = preparedPut(mtaStsPolicies);

export const purgeStsPolicies = async (tx: Tx, now: Millis): Promise<void> => {
  await deleteRows(tx, mtaStsPolicies, { expiresAt: atMost(now) });
};
