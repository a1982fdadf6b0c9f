/** The sealed fingerprints of a workspace's secrets (vault/leak-index.ts). */

import type { WorkspaceId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedPut } from '../prepared-insert.ts';
import { findRow, findValue, listValues } from '../rows.ts';
import type { Db } from '../store.ts';
import { leakIndexes } from './vault-mappings.ts';

export type StoredLeakIndex = Entity<typeof leakIndexes>;

/** Null where the workspace has none. */
export const findLeakGeneration = (db: Db, workspaceId: WorkspaceId): Promise<number | null> =>
  findValue(db, leakIndexes, 'generation', { workspaceId });

/** The workspaces with such fingerprints. */
export const listIndexedWorkspaces = (db: Db): Promise<WorkspaceId[]> => listValues(db, leakIndexes, 'workspaceId', {});

export const findLeakIndex = (db: Db, workspaceId: WorkspaceId): Promise<StoredLeakIndex | null> =>
  findRow(db, leakIndexes, { workspaceId });

export const putLeakIndex = preparedPut(leakIndexes);
