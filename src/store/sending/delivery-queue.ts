/**
 * The outbound queue: the deliveries that are not settled. A row is due at its next attempt, or when the lease of who
 * took it ends, whatever became of them.
 */

import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Millis } from '../../kernel/clock.ts';
import type { DeliveryId, MailboxId, WorkspaceId } from '../../kernel/ids.ts';
import { preparedUpdate } from '../prepared-query.ts';
import type { Db, Tx } from '../store.ts';
import { fromBlob, toBlob } from '../values.ts';
import { type Delivery, type DeliveryStatus, deliveryFromRow } from './deliveries.ts';

/** The expression of the indexes: it has to stand in a query as it stands there. */
const dueAt: RawBuilder<number> = sql<number>`max(next_attempt_at, leased_until)`;
/** The `+` takes its type from the value: compared with a typed one, SQLite does not use the index of an expression. */
const isDue = (now: Millis): RawBuilder<SqlBool> => sql<SqlBool>`${dueAt} <= +${now}`;

const unsettled = (db: Db) => db.selectFrom('deliveries').selectAll().where('next_attempt_at', 'is not', null);

const setLease = preparedUpdate((db, until: number, id: Uint8Array) =>
  db.updateTable('deliveries').set({ leased_until: until }).where('id', '=', id),
);

const lease = async (tx: Tx, rows: Awaited<ReturnType<ReturnType<typeof unsettled>['execute']>>, until: Millis) => {
  // One by one: a list of another length would be another statement to prepare.
  for (const { id } of rows) await setLease(tx, until, id);
  return rows.map(deliveryFromRow);
};

/** Takes up to `limit` rows that are due and that nobody holds, and leases them until `until`. */
export const claimDue = async (tx: Tx, now: Millis, until: Millis, limit: number): Promise<Delivery[]> =>
  lease(tx, await unsettled(tx.db).where(isDue(now)).orderBy(dueAt).limit(limit).execute(), until);

/** The same of one mailbox. */
export const claimDueOf = async (
  tx: Tx,
  mailboxId: MailboxId,
  now: Millis,
  until: Millis,
  limit: number,
): Promise<Delivery[]> => {
  const due = unsettled(tx.db).where('mailbox_id', '=', toBlob(mailboxId)).where(isDue(now));
  return lease(tx, await due.orderBy(dueAt).limit(limit).execute(), until);
};

/** Mailboxes looked at for one list: two seeks each, so a few milliseconds in all. */
const MAX_LOOKED_AT = 1_000;

/**
 * The next mailboxes after this one that have something due. Null: from the first one on.
 * @returns `last`: the mailbox that was looked at last; null where there are none behind it
 */
export const listDueMailboxes = async (
  db: Db,
  after: MailboxId | null,
  now: Millis,
  limit: number,
): Promise<{ mailboxes: MailboxId[]; last: MailboxId | null }> => {
  const { rows } = await sql<{ mailbox_id: Uint8Array; due: number }>`
    with recursive
      queued (mailbox_id) as (
        select min(mailbox_id) from deliveries
        where next_attempt_at is not null and mailbox_id > ${after === null ? new Uint8Array() : toBlob(after)}
        union all
        select (
          select min(each.mailbox_id) from deliveries as each
          where each.next_attempt_at is not null and each.mailbox_id > queued.mailbox_id
        )
        from queued where queued.mailbox_id is not null limit ${sql.lit(MAX_LOOKED_AT)}
      ),
      looked_at as (
        select mailbox_id, exists (
          select 1 from deliveries as each
          where each.next_attempt_at is not null and each.mailbox_id = queued.mailbox_id
            and max(each.next_attempt_at, each.leased_until) <= +${now}
        ) as due
        from queued where mailbox_id is not null
      )
    select mailbox_id, due from looked_at`.execute(db);
  const mailboxes: MailboxId[] = [];
  for (const { mailbox_id, due } of rows) {
    const id = fromBlob<'mailbox'>(mailbox_id);
    if (due === 1) mailboxes.push(id);
    if (mailboxes.length === limit) return { mailboxes, last: id };
  }
  const last = rows.length === MAX_LOOKED_AT ? rows.at(-1) : undefined;
  return { mailboxes, last: last ? fromBlob<'mailbox'>(last.mailbox_id) : null };
};

/** How many rows are due, counted up to `most`. */
export const countDue = async (db: Db, now: Millis, most: number): Promise<number> => {
  const due = db
    .selectFrom('deliveries')
    .select('id')
    .where('next_attempt_at', 'is not', null)
    .where(isDue(now))
    .limit(most);
  const { count } = await db
    .selectFrom(due.as('due'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
};

/** When the next row is due; null where the queue is empty. */
export const nextDueTime = async (db: Db): Promise<Millis | null> => {
  const row = await db
    .selectFrom('deliveries')
    .select(dueAt.as('due_at'))
    .where('next_attempt_at', 'is not', null)
    .orderBy(dueAt)
    .limit(1)
    .executeTakeFirst();
  return row?.due_at ?? null;
};

/** Of all that is leased: one daemon holds the data directory, so every lease is its own. */
export const renewLeases = async (tx: Tx, until: Millis): Promise<void> => {
  await tx.db.updateTable('deliveries').set({ leased_until: until }).where('leased_until', '>', 0).execute();
};

const CUT_OFF = 'Postroom ended during this attempt. The host may have taken the mail, and gets it again.';

/** What the transcripts of later attempts begin with, so that a row which may stand for two mails says so for good. */
const CUT_OFF_BEFORE =
  '*: Postroom ended during an attempt before this one. The host may have taken the mail then too.';

/** A transcript, after what is to be said of attempts before it. @param before the last attempt's transcript */
export const withCutOffs = (transcript: string | null, before: string | null): string | null => {
  const wasCutOff = before?.startsWith(`*: ${CUT_OFF}`) || before?.startsWith(CUT_OFF_BEFORE);
  return wasCutOff ? [CUT_OFF_BEFORE, transcript].filter((text) => text !== null).join('\n') : transcript;
};

/** A start of the daemon voids the leases of the process before it: the lock on the data directory says it is gone. */
export const voidLeases = async (tx: Tx): Promise<void> => {
  const leased = tx.db.updateTable('deliveries').where('leased_until', '>', 0);
  await leased
    .where('attempting', '=', 1)
    .set({ response: CUT_OFF, transcript: `*: ${CUT_OFF}`, attempting: 0, status: 'deferred' })
    .execute();
  await leased.set({ leased_until: 0 }).execute();
};

const begin = preparedUpdate((db, now: number, id: Uint8Array) =>
  db
    .updateTable('deliveries')
    .set((eb) => ({ last_attempt_at: now, attempts: eb('attempts', '+', sql.lit(1)), attempting: sql.lit(1) }))
    .where('id', '=', id)
    .where('attempting', '=', sql.lit(0))
    .where('next_attempt_at', 'is not', null),
);

/**
 * Written before DATA, so that a row whose process died says that an attempt was under way.
 * @returns whether the row is still to be delivered; a person may have taken it out of the queue
 */
export const recordAttempt = async (tx: Tx, id: DeliveryId, now: Millis): Promise<boolean> => {
  return (await begin(tx, now, toBlob(id))) > 0;
};

export type DeliveryResult = Pick<
  Delivery,
  'status' | 'nextAttemptAt' | 'code' | 'enhancedCode' | 'response' | 'remoteHost' | 'tls' | 'transcript'
>;

const writeResult = preparedUpdate(
  (
    db,
    status: DeliveryStatus,
    nextAttemptAt: number | null,
    code: number | null,
    enhancedCode: string | null,
    response: string | null,
    remoteHost: string | null,
    tls: string | null,
    transcript: string | null,
    id: Uint8Array,
  ) =>
    db
      .updateTable('deliveries')
      .set({
        status,
        next_attempt_at: nextAttemptAt,
        code,
        enhanced_code: enhancedCode,
        response,
        remote_host: remoteHost,
        tls,
        transcript,
        leased_until: sql.lit(0),
        attempting: sql.lit(0),
        insisted: sql.lit(0),
      })
      .where('id', '=', id),
);

/** Writes what became of an attempt and gives the row back. */
export const recordResult = async (tx: Tx, id: DeliveryId, result: DeliveryResult): Promise<void> => {
  const { status, nextAttemptAt, code, enhancedCode, response, remoteHost, tls, transcript } = result;
  await writeResult(tx, status, nextAttemptAt, code, enhancedCode, response, remoteHost, tls, transcript, toBlob(id));
};

const giveBack = preparedUpdate((db, at: number, id: Uint8Array) =>
  db
    .updateTable('deliveries')
    .set((eb) => ({
      next_attempt_at: at,
      leased_until: sql.lit(0),
      attempting: sql.lit(0),
      attempts: eb('attempts', '-', eb.ref('attempting')),
      last_attempt_at: sql<number | null>`iif(attempts > attempting, last_attempt_at, null)`,
    }))
    .where('id', '=', id)
    .where('next_attempt_at', 'is not', null),
);

/** Gives rows back that were not attempted after all, to be due at `at`. */
export const postpone = async (tx: Tx, ids: readonly DeliveryId[], at: Millis): Promise<void> => {
  for (const id of ids) await giveBack(tx, at, toBlob(id));
};

/** Rows looked at for one list: a few milliseconds. */
const MAX_LOOKED_THROUGH = 5_000;

/** The ids of a mailbox's rows to the same domain that nobody holds and that are due before `before`. */
export const listAlike = async (
  db: Db,
  { mailboxId, domain }: Pick<Delivery, 'mailboxId' | 'domain'>,
  now: Millis,
  before: Millis,
  limit: number,
): Promise<DeliveryId[]> => {
  const soon = db
    .selectFrom('deliveries')
    .select(['id', 'domain', 'leased_until', 'insisted'])
    .where('next_attempt_at', 'is not', null)
    .where('mailbox_id', '=', toBlob(mailboxId))
    .where(isDue(before - 1))
    .orderBy(dueAt)
    .limit(MAX_LOOKED_THROUGH);
  const rows = await db
    .selectFrom(soon.as('soon'))
    .select('id')
    .where('domain', '=', domain)
    .where('leased_until', '<=', now)
    .where('insisted', '=', 0)
    .limit(limit)
    .execute();
  return rows.map(({ id }) => fromBlob<'delivery'>(id));
};

/** Makes a row due now. @returns whether it was waiting: what is settled or under way is left alone */
export const insistOn = async (tx: Tx, id: DeliveryId, now: Millis): Promise<boolean> => {
  const { numUpdatedRows } = await tx.db
    .updateTable('deliveries')
    .set({ next_attempt_at: now, leased_until: 0, insisted: 1 })
    .where('id', '=', toBlob(id))
    .where('next_attempt_at', 'is not', null)
    .where('attempting', '=', 0)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
};

/** Takes a row out of the queue. @returns whether it was waiting */
export const cancelDelivery = async (tx: Tx, id: DeliveryId): Promise<boolean> => {
  const { numUpdatedRows } = await tx.db
    .updateTable('deliveries')
    .set({ status: 'cancelled', next_attempt_at: null, leased_until: 0 })
    .where('id', '=', toBlob(id))
    .where('next_attempt_at', 'is not', null)
    .where('attempting', '=', 0)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
};

/** What is still under way, soonest first. */
export const listQueue = async (db: Db, workspaceId: WorkspaceId | null, limit: number): Promise<Delivery[]> => {
  let query = unsettled(db).orderBy(dueAt).limit(limit);
  if (workspaceId) {
    const mailboxes = db
      .selectFrom('mailboxes')
      .innerJoin('agents', 'agents.id', 'mailboxes.agent_id')
      .where('agents.workspace_id', '=', toBlob(workspaceId))
      .select('mailboxes.id');
    query = query.where('mailbox_id', 'in', mailboxes);
  }
  return (await query.execute()).map(deliveryFromRow);
};
