/** Suppressed addresses of a workspace, managed by a person. */

import { reachWorkspace } from '../../../access/reach.ts';
import type { Clock, Millis } from '../../../kernel/clock.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { Handlers } from '../../../kernel/operation.ts';
import { byCreationTime, readPage } from '../../../kernel/page.ts';
import {
  deleteSuppression,
  findSuppressionsBeginning,
  insertSuppression,
  listSuppressions,
  type Suppression,
} from '../../../store/sending/suppressions.ts';
import type { Store } from '../../../store/store.ts';
import { viewSuppression } from '../view.ts';
import type { workspaceSuppressionsContract } from './contract.ts';

export interface WorkspaceSuppressionsNeeds {
  store: Store;
  clock: Clock;
}

export const createWorkspaceSuppressions = ({
  store,
  clock,
}: WorkspaceSuppressionsNeeds): Handlers<typeof workspaceSuppressionsContract> => ({
  list: async (caller, { workspace, ...page }) => {
    const { id } = await reachWorkspace(store.read, caller, workspace);
    const { rows, next_cursor } = await readPage<Suppression, Millis>(page, byCreationTime, (before, limit) =>
      listSuppressions(store.read, id, clock.now(), before, limit),
    );
    return { suppressions: rows.map(viewSuppression), next_cursor };
  },

  find: async (caller, { workspace, beginning, limit }) => {
    const { id } = await reachWorkspace(store.read, caller, workspace);
    const found = await findSuppressionsBeginning(store.read, id, clock.now(), beginning, limit + 1);
    return { suppressions: found.slice(0, limit).map(viewSuppression), has_more: found.length > limit };
  },

  add: async (caller, { workspace, address }, { record }) => {
    const { id: workspaceId } = await reachWorkspace(store.read, caller, workspace);
    const createdAt = clock.now();
    const entry = { address, reason: 'manual', bounceType: null, messageId: null, until: null, createdAt } as const;
    return store.write(async (tx) => {
      await insertSuppression(tx, workspaceId, entry);
      return record(tx, { workspaceId, subject: address }, viewSuppression(entry));
    });
  },

  remove: async (caller, { workspace, address }, { record }) => {
    const { id: workspaceId } = await reachWorkspace(store.read, caller, workspace);
    return store.write(async (tx) => {
      const isRemoved = await deleteSuppression(tx, workspaceId, address);
      if (!isRemoved) throw new ApiError('suppression_not_found', { fields: { address, workspace } });
      return record(tx, { workspaceId, subject: address }, { address, removed: true as const });
    });
  },
});
