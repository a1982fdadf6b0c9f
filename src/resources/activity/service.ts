/** The activity log resource. */

import { setImmediate as yieldToLoop } from 'node:timers/promises';
import type { ChainKey } from '../../activity/chain.ts';
import { verifyActivity } from '../../activity/verify-activity.ts';
import { decodeCursor } from '../../kernel/cursor.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import type { WorkspaceId } from '../../kernel/ids.ts';
import { type PageOrder, readPage } from '../../kernel/page.ts';
import {
  type ActivityFilter,
  type ActivityRow,
  findActivity,
  findActivityEnd,
  listActivity,
} from '../../store/activity/activity-log.ts';
import type { Db, Store } from '../../store/store.ts';
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

/** Rows that one query looks at: a few milliseconds. */
const LOOKED_AT_ONCE = 5_000;

/** Looks through the log from its end on, some rows at a time, until the page is full. */
const findFiltered = async (
  db: Db,
  workspaceId: WorkspaceId | null,
  filter: ActivityFilter,
  before: number | null,
  limit: number,
): Promise<ActivityRow[]> => {
  const { lastSeq, purgedSeq } = await findActivityEnd(db);
  const found: ActivityRow[] = [];
  let end = before ?? lastSeq + 1;
  while (end > purgedSeq + 1 && found.length < limit) {
    const floor = Math.max(purgedSeq + 1, end - LOOKED_AT_ONCE);
    found.push(...(await findActivity(db, workspaceId, filter, { before: end, floor, limit: limit - found.length })));
    end = floor;
    await yieldToLoop();
  }
  return found;
};

export const createActivity = ({ store, activityKey }: ActivityNeeds): Handlers<typeof activityContract> => ({
  list: async ({ workspaceId = null }, { actor, action, q, ...page }) => {
    const isFiltered = actor !== undefined || action !== undefined || q !== undefined;
    const filter = { actor, action, words: q };
    const { rows, next_cursor } = await readPage(page, newestFirst, (before, limit) =>
      isFiltered
        ? findFiltered(store.read, workspaceId, filter, before, limit)
        : listActivity(store.read, workspaceId, before, limit),
    );
    return { activity: rows.map(viewAct), next_cursor };
  },

  verify: async () => {
    const { ok, rows, withoutMac, hasKey, head, faults } = await verifyActivity(store.read, activityKey);
    return { ok, rows, rows_without_mac: withoutMac, macs_checked: hasKey, head, faults };
  },
});
