/** The sealed fingerprints of a workspace's secrets (vault/leak-index.ts). */

import { idToBytes, type WorkspaceId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedPut } from '../prepared-insert.ts';
import { preparedSelect } from '../prepared-statement.ts';
import { findRow, listValues } from '../rows.ts';
import type { Db } from '../store.ts';
import { leakIndexes } from './vault-mappings.ts';

export type StoredLeakIndex = Entity<typeof leakIndexes>;

const stateOf = preparedSelect((db, { id }: { id: Uint8Array }) =>
  db
    .selectFrom('workspaces')
    .where('workspaces.id', '=', id)
    .leftJoin('leak_indexes', 'leak_indexes.workspace_id', 'workspaces.id')
    .select('leak_indexes.generation')
    .select((eb) =>
      eb.exists(eb.selectFrom('secrets').select('id').whereRef('workspace_id', '=', 'workspaces.id')).as('hasSecrets'),
    ),
);

/** `generation`: of the workspace's fingerprints; null where it has none. */
export const findLeakState = async (
  db: Db,
  workspaceId: WorkspaceId,
): Promise<{ generation: number | null; hasSecrets: boolean }> => {
  const [row] = await stateOf(db, { id: idToBytes(workspaceId) });
  return { generation: row?.generation ?? null, hasSecrets: Boolean(row?.hasSecrets) };
};

/** The workspaces with such fingerprints. */
export const listIndexedWorkspaces = (db: Db): Promise<WorkspaceId[]> => listValues(db, leakIndexes, 'workspaceId', {});

export const findLeakIndex = (db: Db, workspaceId: WorkspaceId): Promise<StoredLeakIndex | null> =>
  findRow(db, leakIndexes, { workspaceId });

export const putLeakIndex = preparedPut(leakIndexes);
