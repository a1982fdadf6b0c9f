/** Mail of the instance to owners that has yet to be sent, and how much role mail each owner was passed on. */

import { DAY, type Millis } from '../../kernel/clock.ts';
import type { NoticeId } from '../../kernel/ids.ts';
import { preparedUpdate } from '../sqlite/prepared-query.ts';
import type { Db, Tx } from '../store.ts';
import { fromBlob, toBlob } from '../values.ts';

export interface StoredNotice {
  id: NoticeId;
  /** The kinds and their data: src/notices/notice-kinds.ts. Data names rows rather than repeating them. */
  kind: string;
  data: object;
  ownerEmail: string;
  /** Not mailed before. */
  dueAt: Millis;
  createdAt: Millis;
}

export const insertNotice = async (tx: Tx, notice: StoredNotice): Promise<void> => {
  await tx.db
    .insertInto('notices')
    .values({
      id: toBlob(notice.id),
      kind: notice.kind,
      owner_email: notice.ownerEmail,
      data: JSON.stringify(notice.data),
      due_at: notice.dueAt,
      created_at: notice.createdAt,
    })
    .execute();
};

/** Those that are due, longest due first. */
export const listDueNotices = async (db: Db, now: Millis, limit: number): Promise<StoredNotice[]> => {
  const due = db.selectFrom('notices').selectAll().where('due_at', '<=', now).orderBy('due_at').limit(limit);
  return (await due.execute()).map((row) => ({
    id: fromBlob(row.id),
    kind: row.kind,
    data: JSON.parse(row.data) as object,
    ownerEmail: row.owner_email,
    dueAt: row.due_at,
    createdAt: row.created_at,
  }));
};

/** @returns false where it is gone already */
export const deleteNotice = async (tx: Tx, id: NoticeId): Promise<boolean> => {
  const { numDeletedRows } = await tx.db.deleteFrom('notices').where('id', '=', toBlob(id)).executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
};

const setDue = preparedUpdate((db, dueAt: number, id: Uint8Array) =>
  db.updateTable('notices').set({ due_at: dueAt }).where('id', '=', id),
);

export const deferNotice = async (tx: Tx, id: NoticeId, dueAt: Millis): Promise<void> => {
  await setDue(tx, dueAt, toBlob(id));
};

/** A role mail that a digest names. */
export interface WithheldMail {
  address: string;
  from: string;
  subject: string;
}

export interface RoleMailDay {
  count: number;
  withheld: WithheldMail[];
}

const dayOf = (now: Millis): Millis => now - (now % DAY);

export const findRoleMailDay = async (db: Db, ownerEmail: string, now: Millis): Promise<RoleMailDay> => {
  const row = await db
    .selectFrom('role_mail_days')
    .select(['count', 'withheld'])
    .where('owner_email', '=', ownerEmail)
    .where('day', '=', dayOf(now))
    .executeTakeFirst();
  return { count: row?.count ?? 0, withheld: row ? (JSON.parse(row.withheld) as WithheldMail[]) : [] };
};

export const setRoleMailDay = async (
  tx: Tx,
  ownerEmail: string,
  now: Millis,
  { count, withheld }: RoleMailDay,
): Promise<void> => {
  const values = { count, withheld: JSON.stringify(withheld) };
  await tx.db
    .insertInto('role_mail_days')
    .values({ owner_email: ownerEmail, day: dayOf(now), ...values })
    .onConflict((conflict) => conflict.columns(['owner_email', 'day']).doUpdateSet(values))
    .execute();
};

/** Days whose digest has been sent. */
export const purgeRoleMailDays = async (tx: Tx, before: Millis): Promise<void> => {
  await tx.db.deleteFrom('role_mail_days').where('day', '<', before).execute();
};
