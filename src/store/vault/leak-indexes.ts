/** The sealed fingerprints of a workspace's secrets (vault/leak-index.ts). */

import type { WorkspaceId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { findRow, findValue } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { fromBlob } from '../values.ts';
import { leakIndexes } from './vault-mappings.ts';

export type StoredLeakIndex = Entity<typeof leakIndexes>;

/** Null where the workspace has none. */
export const findLeakGeneration = (db: Db, workspaceId: WorkspaceId): Promise<number | null> =>
  findValue(db, leakIndexes, 'generation', { workspaceId });

/** The workspaces with such fingerprints. */
export const listIndexedWorkspaces = async (db: Db): Promise<WorkspaceId[]> =>
  (await db.selectFrom('leak_indexes').select('workspace_id').execute()).map((row) => fromBlob(row.workspace_id));

export const findLeakIndex = (db: Db, workspaceId: WorkspaceId): Promise<StoredLeakIndex | null> =>
  findRow(db, leakIndexes, { workspaceId });

const put = preparedInsert(leakIndexes, (conflict) =>
  conflict
    .column('workspace_id')
    .doUpdateSet((eb) => ({ generation: eb.ref('excluded.generation'), sealed: eb.ref('excluded.sealed') })),
);

export const putLeakIndex = async (tx: Tx, index: StoredLeakIndex): Promise<void> => {
  await put(tx, index);
};
