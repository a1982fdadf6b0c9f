/** Mail of the instance to owners that is not sent yet, and each owner's role mail by day. */

import type { Millis } from '../../kernel/clock.ts';
import type { NoticeId } from '../../kernel/ids.ts';
import { startOfDay } from '../../kernel/utc-period.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert, preparedPut } from '../prepared-insert.ts';
import { atMost, deleteAndCount, findRow, findValue, listRows, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { heldNoticeHours, notices, roleMailDays } from './events-mappings.ts';

export type StoredNotice = Entity<typeof notices>;

export const insertNotice = preparedInsert(notices);

/** Those that are due, longest due first. */
export const listDueNotices = (db: Db, now: Millis, limit: number): Promise<StoredNotice[]> =>
  listRows(db, notices, { dueAt: atMost(now) }, { order: { dueAt: 'asc' }, limit });

/** @returns false where it is gone already */
export const deleteNotice = async (tx: Tx, id: NoticeId): Promise<boolean> =>
  (await deleteAndCount(tx, notices, { id })) > 0;

export const deferNotice = (tx: Tx, id: NoticeId, dueAt: Millis): Promise<void> =>
  updateRows(tx, notices, { id }, { dueAt });

export type RoleMailDay = Pick<Entity<typeof roleMailDays>, 'count' | 'withheld'>;

export const findRoleMailDay = async (db: Db, ownerEmail: string, now: Millis): Promise<RoleMailDay> => {
  const day = await findRow(db, roleMailDays, { ownerEmail, day: startOfDay(now) });
  return day ?? { count: 0, withheld: [] };
};

const putDay = preparedPut(roleMailDays);

export const setRoleMailDay = (
  tx: Tx,
  ownerEmail: string,
  now: Millis,
  { count, withheld }: RoleMailDay,
): Promise<void> => putDay(tx, { ownerEmail, day: startOfDay(now), count, withheld });

const putHour = preparedPut(heldNoticeHours);

/**
 * Counts one held mail with a notice to an owner, sent or withheld.
 * @returns the count before it in the hour from `hour`
 */
export const countHeldNotice = async (tx: Tx, ownerEmail: string, hour: Millis): Promise<number> => {
  const before = (await findValue(tx.db, heldNoticeHours, 'count', { ownerEmail, hour })) ?? 0;
  await putHour(tx, { ownerEmail, hour, count: before + 1 });
  return before;
};
