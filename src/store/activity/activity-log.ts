/** The activity log: rows are appended, listed and, after their retention, removed from the oldest on. */

import { sql } from 'kysely';
import type { Millis } from '../../kernel/clock.ts';
import { idToBytes, type WorkspaceId } from '../../kernel/ids.ts';
import type { ActivityAction } from '../../kernel/operation.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { above, atMost, below, deleteRows, findRow, listRows, updateRows, within } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { activity, activityHead } from './activity-mappings.ts';

export type ActivityRow = Entity<typeof activity>;
const headColumns = activityHead.omit('id');
export type ActivityHead = Entity<typeof headColumns>;

/** The one row of `activity_head`. */
const HEAD = 1;

export const findActivityHead = async (db: Db): Promise<ActivityHead> => {
  const head = await findRow(db, activityHead, { id: HEAD }, { as: headColumns });
  if (!head) throw new Error('The activity log has lost its head.');
  return head;
};

export const updateActivityHead = (tx: Tx, changed: ActivityHead): Promise<void> =>
  updateRows(tx, activityHead, { id: HEAD }, changed);

/** The head has the row's `seq` by then; the engine refuses a row out of order. */
export const insertActivity = preparedInsert(activity);

const withMac = activity.pick('mac');

/** Whether the row of that number is there, and has a MAC. */
export const hasActivityMac = async (db: Db, seq: number): Promise<boolean | null> => {
  const row = await findRow(db, activity, { seq }, { as: withMac });
  return row ? row.mac !== null : null;
};

/** Newest first. @param before only those before this `seq`; null: from the newest */
export const listActivity = (
  db: Db,
  workspaceId: WorkspaceId | null,
  before: number | null,
  limit: number,
): Promise<ActivityRow[]> => {
  const chosen = { ...(workspaceId && { workspaceId }), ...(before !== null && { seq: below(before) }) };
  return listRows(db, activity, chosen, { order: { seq: 'desc' }, limit });
};

const timed = activity.pick('seq', 'at');

/** The first number from which on acts are not older than `at`: acts stand in the order of their time. */
export const findActivitySeq = async (db: Db, at: Millis, from: number, to: number): Promise<number> => {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = await findRow(db, activity, { seq: above(middle - 1) }, { order: { seq: 'asc' }, as: timed });
    if (!row || row.at >= at) high = middle;
    else low = row.seq + 1;
  }
  return low;
};

/** A filter of the log; a part that is left out matches all. */
export interface ActivityFilter {
  actor?: string | undefined;
  /** A noun, as `secret`, or a whole action, as `secret.open`. */
  action?: string | undefined;
  /** Somewhere in the subject or the detail, in any letter case. */
  words?: string | undefined;
}

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** Newest first, those that fit among the rows before `before` and from `floor` on. */
export const findActivity = async (
  db: Db,
  workspaceId: WorkspaceId | null,
  { actor, action, words }: ActivityFilter,
  { before, floor, limit }: { before: number; floor: number; limit: number },
): Promise<ActivityRow[]> => {
  let query = db
    .selectFrom('activity')
    .select(activity.names)
    .where('seq', '<', before)
    .where('seq', '>=', floor)
    .orderBy('seq', 'desc')
    .limit(limit);
  if (workspaceId) query = query.where('workspace_id', '=', idToBytes(workspaceId));
  if (actor !== undefined) query = query.where('actor', '=', actor);
  if (action?.includes('.')) query = query.where('action', '=', action as ActivityAction);
  else if (action !== undefined) {
    // Selects the acts of one noun: "/" is the character after ".".
    query = query.where('action', '>=', `${action}.` as ActivityAction);
    query = query.where('action', '<', `${action}/` as ActivityAction);
  }
  if (words !== undefined) {
    const pattern = `%${escapeLike(words.toLowerCase())}%`;
    query = query.where(sql<boolean>`lower(subject || ' ' || detail) like ${pattern} escape '\\'`);
  }
  return (await query.execute()).map(activity.read);
};

/** Oldest first, from behind `after` up to `last`. */
export const listActivityChain = (db: Db, after: number, last: number, limit: number): Promise<ActivityRow[]> =>
  listRows(db, activity, { seq: within(after + 1, last + 1) }, { order: { seq: 'asc' }, limit });

/** The head and the number of the last row, as one moment has them. */
export const findActivityEnd = async (db: Db): Promise<ActivityHead & { lastSeq: number }> => {
  const row = await db
    .selectFrom('activity_head')
    .select(headColumns.names)
    .where('id', '=', HEAD)
    .select((eb) =>
      eb
        .selectFrom('activity')
        .select((of) => of.fn.max('activity.seq').as('last'))
        .as('last_seq'),
    )
    .executeTakeFirstOrThrow();
  return { ...headColumns.read(row), lastSeq: Number(row.last_seq ?? row.purged_seq) };
};

/** Removes the rows up to the head's `purgedSeq`, which has been moved there before. */
export const deletePurgedActivity = (tx: Tx, purgedSeq: number): Promise<void> =>
  deleteRows(tx, activity, { seq: atMost(purgedSeq) });

/** The same in the whole log. */
export const findActivityAt = async (db: Db, at: Millis): Promise<number> => {
  const { lastSeq, purgedSeq } = await findActivityEnd(db);
  return findActivitySeq(db, at, purgedSeq + 1, lastSeq + 1);
};
