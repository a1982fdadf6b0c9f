import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { viewOf } from '../../access/view-of.ts';
import { verifyActivity } from '../../activity/verify-activity.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import type { WorkspaceId } from '../../kernel/ids.ts';
import { byPosition, readPage } from '../../kernel/page.ts';
import {
  type ActivityFilter,
  type ActivityRow,
  findActivity,
  findActivityEnd,
  findActivitySeq,
  listActivity,
} from '../../store/activity/activity-log.ts';
import type { Db } from '../../store/store.ts';
import type { Needs } from '../needs.ts';
import { type ActView, type activityContract, actShape } from './contract.ts';
import { findActMail } from './find-mail.ts';

const viewAct = viewOf(actShape, ({ detail }: ActivityRow, mail: ActView['mail']) => ({
  detail: JSON.parse(detail),
  mail,
}));

const newestFirst = byPosition(({ seq }: ActivityRow) => seq);

/** Rows that one query reads: a few milliseconds. */
const LOOKED_AT_ONCE = 5_000;

interface Looked {
  filter: ActivityFilter;
  since: Millis | undefined;
  until: Millis | undefined;
}

/** Searches the log from its end on, some rows at a time, until the page is full. */
const findFiltered = async (
  db: Db,
  workspaceId: WorkspaceId | null,
  { filter, since, until }: Looked,
  before: number | null,
  limit: number,
): Promise<ActivityRow[]> => {
  const { lastSeq, purgedSeq } = await findActivityEnd(db);
  const [first, last] = [purgedSeq + 1, lastSeq + 1];
  const begin = since === undefined ? first : await findActivitySeq(db, since, first, last);
  const found: ActivityRow[] = [];
  let end = Math.min(before ?? last, until === undefined ? last : await findActivitySeq(db, until, first, last));
  while (end > begin && found.length < limit) {
    const floor = Math.max(begin, end - LOOKED_AT_ONCE);
    found.push(...(await findActivity(db, workspaceId, filter, { before: end, floor, limit: limit - found.length })));
    end = floor;
    await yieldToLoop();
  }
  return found;
};

export const createActivity = ({
  store,
  activityKey,
}: Needs<'store' | 'activityKey'>): Handlers<typeof activityContract> => ({
  list: async ({ workspaceId = null }, { actor, action, q, since, until, ...page }) => {
    const isFiltered = [actor, action, q, since, until].some((each) => each !== undefined);
    const looked = { filter: { actor, action, words: q }, since, until };
    const { rows, next_cursor } = await readPage(page, newestFirst, (before, limit) =>
      isFiltered
        ? findFiltered(store.read, workspaceId, looked, before, limit)
        : listActivity(store.read, workspaceId, before, limit),
    );
    const activity = await Promise.all(rows.map(async (row) => viewAct(row, await findActMail(store.read, row))));
    return { activity, next_cursor };
  },

  verify: async () => {
    const { ok, rows, withoutMac, hasKey, head, faults } = await verifyActivity(store.read, activityKey);
    return { ok, rows, rows_without_mac: withoutMac, macs_checked: hasKey, head, faults };
  },
});
