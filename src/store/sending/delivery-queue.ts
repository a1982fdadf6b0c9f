/**
 * The outbound queue: the deliveries without a final outcome. A row is due at its next attempt, or once its lease has
 * ended. A lease names the daemon's run that holds it; a run that lost its lease records nothing. During an attempt the
 * lease ends with its run alone: by the clock of another box it might have ended.
 */

import { sql } from 'kysely';
import type { Millis } from '../../kernel/clock.ts';
import type { DeliveryId, MailboxId, RunId, WorkspaceId } from '../../kernel/ids.ts';
import { idFromBytes, idToBytes } from '../../kernel/ids.ts';
import { agentsIn } from '../accounts/agents.ts';
import type { StoredValue } from '../mapping.ts';
import { preparedChange } from '../prepared-statement.ts';
import { atMost, countUpTo, findValue, listRows, notNull, plus, updateAndCount, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { type Delivery, deliveryMapping, type Lease } from './deliveries.ts';
import { deliveries } from './sending-mappings.ts';

const dueBy = (now: Millis) => ({ dueAt: atMost(now), attempting: false });

const due = (db: Db, conditions: { mailboxId?: MailboxId }, now: Millis, limit: number): Promise<Delivery[]> => {
  const soonest = { order: { dueAt: 'asc' }, limit, as: deliveryMapping } as const;
  return listRows(db, deliveries, { ...dueBy(now), ...conditions }, soonest);
};

/** Leases rows that are read in this transaction. */
export const lease = async (tx: Tx, found: Promise<Delivery[]>, { by, until }: Lease): Promise<Delivery[]> => {
  const leased = await found;
  // One statement each: a list would need a prepared statement for every length.
  for (const { id } of leased) {
    await updateRows(tx, deliveries, { id }, { leasedUntil: until, dueAt: until, leasedBy: by });
  }
  return leased;
};

/** Leases up to `limit` rows that are due, the longest due first. */
export const claimDue = (tx: Tx, now: Millis, claim: Lease, limit: number): Promise<Delivery[]> =>
  lease(tx, due(tx.db, {}, now, limit), claim);

/** The same of one mailbox. */
export const claimDueOf = (
  tx: Tx,
  mailboxId: MailboxId,
  now: Millis,
  claim: Lease,
  limit: number,
): Promise<Delivery[]> => lease(tx, due(tx.db, { mailboxId }, now, limit), claim);

/** The number of rows that are due, counted up to `most`. */
export const countDue = (db: Db, now: Millis, most: number): Promise<number> =>
  countUpTo(db, deliveries, dueBy(now), most);

/** When the next row is due; null where none waits. */
export const nextDueTime = (db: Db): Promise<Millis | null> =>
  findValue(db, deliveries, 'dueAt', { dueAt: notNull, attempting: false }, { dueAt: 'asc' });

/** Renews the leases of all rows that this run has leased. */
export const renewLeases = async (tx: Tx, { by, until }: Lease): Promise<void> => {
  await tx.db
    .updateTable('deliveries')
    .set({ leased_until: until, due_at: until })
    .where('leased_until', '>', sql.lit(0))
    .where('leased_by', '=', idToBytes(by))
    .execute();
};

const CUT_OFF = 'Postroom ended during this attempt. The host may have taken the mail, and gets it again.';

/** Begins the transcripts of later attempts, because the row may stand for two mails. */
const CUT_OFF_BEFORE =
  '*: Postroom ended during an attempt before this one. The host may have taken the mail then too.';

/** A transcript, after a note of earlier attempts that were cut off. @param before the last attempt's transcript */
export const withCutOffs = (transcript: string | null, before: string | null): string | null => {
  const wasCutOff = before?.startsWith(`*: ${CUT_OFF}`) || before?.startsWith(CUT_OFF_BEFORE);
  return wasCutOff ? [CUT_OFF_BEFORE, transcript].filter((text) => text !== null).join('\n') : transcript;
};

/** Voids the leases of all runs but these, which have ended. */
export const voidLeases = async (tx: Tx, serving: readonly RunId[]): Promise<void> => {
  const runs = serving.map(idToBytes);
  const rows = tx.db.updateTable('deliveries');
  const leased = rows
    .where('leased_until', '>', sql.lit(0))
    .where((eb) => eb.or([eb('leased_by', 'is', null), eb('leased_by', 'not in', runs)]));
  const passed = rows
    .where('lane', 'is not', null)
    .where('leased_by', 'is not', null)
    .where('leased_by', 'not in', runs);
  await leased
    .where('attempting', '=', 1)
    .where('next_attempt_at', 'is not', null)
    .set({ response: CUT_OFF, transcript: `*: ${CUT_OFF}`, attempting: 0, status: 'deferred' })
    .execute();
  for (const each of [leased, passed]) {
    await each.set((eb) => ({ leased_until: 0, leased_by: null, due_at: eb.ref('next_attempt_at') })).execute();
  }
};

interface Fenced {
  [name: string]: StoredValue;
  id: Uint8Array;
  by: Uint8Array;
}

/**
 * Written before DATA, so that a row shows an attempt that a crash interrupted.
 * @returns whether the row is still to be delivered by this run; a person may have cancelled it
 */
export const recordAttempt = async (tx: Tx, id: DeliveryId, by: RunId, now: Millis): Promise<boolean> => {
  const untried = { id, leasedBy: by, attempting: false, nextAttemptAt: notNull };
  const begun = { lastAttemptAt: now, attempts: plus(1), attempting: true };
  return (await updateAndCount(tx, deliveries, untried, begun)) > 0;
};

type DeliveryResult = Pick<
  Delivery,
  'status' | 'nextAttemptAt' | 'code' | 'enhancedCode' | 'response' | 'remoteHost' | 'tls' | 'transcript'
>;

/** Writes an attempt's result and ends the lease. @returns false where another run has taken it over, or a report came */
export const recordResult = async (tx: Tx, id: DeliveryId, by: RunId, result: DeliveryResult): Promise<boolean> => {
  const ended = { leasedBy: null, dueAt: result.nextAttemptAt, leasedUntil: 0, attempting: false, insisted: false };
  return (await updateAndCount(tx, deliveries, { id, leasedBy: by }, { ...result, ...ended })) > 0;
};

const release = preparedChange((db, { at, id, by }: Fenced & { at: number }) =>
  db
    .updateTable('deliveries')
    .set((eb) => ({
      next_attempt_at: at,
      due_at: at,
      leased_until: sql.lit(0),
      leased_by: null,
      attempting: sql.lit(0),
      attempts: eb('attempts', '-', eb.ref('attempting')),
      last_attempt_at: eb
        .case()
        .when('attempts', '>', eb.ref('attempting'))
        .then(eb.ref('last_attempt_at'))
        .else(null)
        .end(),
    }))
    .where('id', '=', id)
    .where('leased_by', '=', by)
    .where('next_attempt_at', 'is not', null),
);

/** Gives leased rows back without an attempt, to be due at `at`; one that was begun counts as not made. */
export const releaseDeliveries = async (tx: Tx, ids: readonly DeliveryId[], by: RunId, at: Millis): Promise<void> => {
  for (const id of ids) release(tx, { at, id: idToBytes(id), by: idToBytes(by) });
};

/** Defers a row that is not leased ({@link listDeferrable}, in the same transaction). */
export const deferDelivery = async (tx: Tx, id: DeliveryId, at: Millis): Promise<void> => {
  const deferred = { nextAttemptAt: at, dueAt: at, leasedUntil: 0, leasedBy: null };
  await updateRows(tx, deliveries, { id, nextAttemptAt: notNull }, deferred);
};

/** Rows read for one list: a few milliseconds. */
const MAX_LOOKED_THROUGH = 5_000;

/** The ids of a mailbox's rows to the same domain, accepted after `since`, that are not leased and are due before `before`. */
export const listDeferrable = async (
  db: Db,
  { mailboxId, domain, since }: Pick<Delivery, 'mailboxId' | 'domain'> & { since: Millis },
  now: Millis,
  before: Millis,
  limit: number,
): Promise<DeliveryId[]> => {
  const soon = db
    .selectFrom('deliveries')
    .select(['id', 'domain', 'leased_until', 'insisted', 'created_at'])
    .where('due_at', '<', before)
    .where('mailbox_id', '=', idToBytes(mailboxId))
    .orderBy('due_at')
    .limit(MAX_LOOKED_THROUGH);
  const rows = await db
    .selectFrom(soon.as('soon'))
    .select('id')
    .where('domain', '=', domain)
    .where('leased_until', '<=', now)
    .where('insisted', '=', 0)
    .where('created_at', '>', since)
    .limit(limit)
    .execute();
  return rows.map(({ id }) => idFromBytes<'delivery'>(id));
};

const mailboxesIn = (db: Db, workspaceId: WorkspaceId) =>
  db.selectFrom('mailboxes').where('agent_id', 'in', agentsIn(db, workspaceId)).select('mailboxes.id');

/** Makes a workspace's first attempts due now, which its throttle has spread; a host's back-off defers them again. */
export const expediteUntried = async (tx: Tx, id: WorkspaceId, now: Millis): Promise<void> => {
  await tx.db
    .updateTable('deliveries')
    .set({ next_attempt_at: now, due_at: now })
    .where('mailbox_id', 'in', mailboxesIn(tx.db, id))
    .where('due_at', '>', now)
    .where('attempts', '=', 0)
    .where('leased_until', '=', 0)
    .execute();
};

/** Makes a row due now, as a person requested. @returns false where it has its outcome or is being attempted */
export const expediteDelivery = async (tx: Tx, id: DeliveryId, now: Millis): Promise<boolean> => {
  // The lease's holder stays: the run that holds the row in memory may still attempt it.
  return (
    (await updateAndCount(
      tx,
      deliveries,
      { id, nextAttemptAt: notNull, attempting: false },
      { nextAttemptAt: now, dueAt: now, leasedUntil: 0, insisted: true },
    )) > 0
  );
};

/** Takes a row out of the queue. @returns false for one that has its outcome or is being attempted */
export const cancelDelivery = async (tx: Tx, id: DeliveryId): Promise<boolean> =>
  (await updateAndCount(
    tx,
    deliveries,
    { id, nextAttemptAt: notNull, attempting: false },
    { status: 'cancelled', nextAttemptAt: null, dueAt: null, leasedUntil: 0, leasedBy: null },
  )) > 0;

/** The queue, the soonest due first. */
export const listQueue = async (db: Db, workspaceId: WorkspaceId | null, limit: number): Promise<Delivery[]> => {
  let query = db
    .selectFrom('deliveries')
    .select(deliveryMapping.names)
    .where('due_at', 'is not', null)
    .orderBy('due_at')
    .limit(limit);
  if (workspaceId) query = query.where('mailbox_id', 'in', mailboxesIn(db, workspaceId));
  return (await query.execute()).map(deliveryMapping.read);
};
