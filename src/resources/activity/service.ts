/** The activity log resource. */

import { reachOfList } from '../../access/reach.ts';
import type { ChainKey } from '../../activity/chain.ts';
import { verifyActivity } from '../../activity/verify-activity.ts';
import { decodeCursor } from '../../kernel/cursor.ts';
import type { Handlers } from '../../kernel/operation.ts';
import { type PageOrder, readPage } from '../../kernel/page.ts';
import { type ActivityRow, listActivity } from '../../store/activity/activity-log.ts';
import type { Store } from '../../store/store.ts';
import type { activityContract } from './contract.ts';
import { viewAct } from './view.ts';

export interface ActivityNeeds {
  store: Store;
  activityKey: ChainKey;
}

const newestFirst: PageOrder<ActivityRow, number> = {
  write: ({ seq }) => [seq],
  read: (cursor) => Number(decodeCursor(cursor, 'number')[0]),
};

export const createActivity = ({ store, activityKey }: ActivityNeeds): Handlers<typeof activityContract> => ({
  list: async (caller, { workspace, ...page }) => {
    const workspaceId = await reachOfList(store.read, caller, workspace);
    const { rows, next_cursor } = await readPage(page, newestFirst, (before, limit) =>
      listActivity(store.read, workspaceId, before, limit),
    );
    return { activity: rows.map(viewAct), next_cursor };
  },

  verify: async () => {
    const { ok, rows, withoutMac, hasKey, head, faults } = await verifyActivity(store.read, activityKey);
    return { ok, rows, rows_without_mac: withoutMac, macs_checked: hasKey, head, faults };
  },
});
