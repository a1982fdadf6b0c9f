/** Removes workspaces of signups that were not claimed in time. */

import type { ActivityLog } from '../../activity/activity-log.ts';
import type { Clock } from '../../kernel/clock.ts';
import { CLAIM_WITHIN_MS, isUnclaimed, listUnclaimed } from '../../store/accounts/claims.ts';
import { findWorkspaceById } from '../../store/accounts/workspaces.ts';
import type { Store } from '../../store/store.ts';
import { removeWorkspace } from './remove-workspace.ts';

/** Of one run. */
const MAX_LAPSED = 100;

export const lapseUnclaimed = async ({
  store,
  clock,
  activity,
}: {
  store: Store;
  clock: Clock;
  activity: Pick<ActivityLog, 'recordOwn'>;
}): Promise<void> => {
  const now = clock.now();
  for (const id of await listUnclaimed(store.read, now - CLAIM_WITHIN_MS, MAX_LAPSED)) {
    await store.write(async (tx) => {
      const workspace = await findWorkspaceById(tx.db, id);
      // Claimed since the list was read.
      if (!workspace || !isUnclaimed(workspace) || !(await removeWorkspace(tx, id, now))) return;
      const detail = { reason: 'unclaimed' };
      await activity.recordOwn(tx, 'workspace.remove', { workspaceId: id, subject: workspace.slug, detail });
    });
  }
};
