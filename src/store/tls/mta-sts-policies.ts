/** MTA-STS policies as they were fetched, cached until they expire. */

import type { Entity } from '../mapping.ts';
import { preparedPut } from '../prepared-insert.ts';
import { findRow } from '../rows.ts';
import type { Db } from '../store.ts';
import { mtaStsPolicies } from './tls-mappings.ts';

export type CachedStsPolicy = Entity<typeof mtaStsPolicies>;

export const findStsPolicy = (db: Db, domain: string): Promise<CachedStsPolicy | null> =>
  findRow(db, mtaStsPolicies, { domain });

/** Replaces the domain's earlier one. */
export const putStsPolicy = preparedPut(mtaStsPolicies);
