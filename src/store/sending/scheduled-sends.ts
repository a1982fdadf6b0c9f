/** Scheduled sends: stored as requested until they are due. */

import { sql } from 'kysely';
import type { Address } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { GrantId, KeyId, MailboxId, MessageId, PendingId, ScheduledId, WorkspaceId } from '../../kernel/ids.ts';
import { idToBytes } from '../../kernel/ids.ts';
import type { TimeAndId } from '../../kernel/page.ts';
import { agentsIn } from '../accounts/agents.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { preparedSelect } from '../prepared-statement.ts';
import { atMost, findRow, findValue, listRows, literal, updateAndCount, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { scheduledSends } from './sending-mappings.ts';

const scheduled = scheduledSends.omit('request', 'dueAt');
export type ScheduledSend = Entity<typeof scheduled>;
const withRequest = scheduledSends.omit('dueAt');

type NewScheduled = Pick<
  ScheduledSend,
  'id' | 'agentId' | 'mailboxId' | 'to' | 'subject' | 'sendAt' | 'bookedAt' | 'bookedBy' | 'byGrant'
> &
  Partial<Pick<ScheduledSend, 'sentBy'>>;

const PENDING = { status: literal('pending') };

const insert = preparedInsert(scheduledSends);

/** @param request as it came, compressed by the caller */
export const insertScheduledSend = (tx: Tx, send: NewScheduled, request: Uint8Array): Promise<void> =>
  insert(tx, { ...send, request, status: 'pending', dueAt: send.sendAt, attempts: 0 });

/** @param mailboxId null: of any mailbox, for a person */
export const findScheduledSend = (
  db: Db,
  mailboxId: MailboxId | null,
  id: ScheduledId,
): Promise<ScheduledSend | null> =>
  findRow(db, scheduledSends, { id, ...(mailboxId && { mailboxId }) }, { as: scheduled });

/** Null: it has ended. */
export const findScheduledRequest = (db: Db, id: ScheduledId): Promise<Uint8Array | null> =>
  findValue(db, scheduledSends, 'request', { id });

/** Pending, soonest first. */
export const listScheduledSends = (
  db: Db,
  mailboxId: MailboxId,
  after: TimeAndId<'scheduled'> | null,
  limit: number,
): Promise<ScheduledSend[]> => {
  const behind = after && { sendAt: after.at, id: after.id };
  const page = { order: { sendAt: 'asc', id: 'asc' }, behind, limit, as: scheduled } as const;
  return listRows(db, scheduledSends, { mailboxId, ...PENDING }, page);
};

const bookedIn = (db: Db, workspaceId: WorkspaceId) =>
  db
    .selectFrom('scheduled_sends')
    .select(scheduled.toRead)
    .where('status', '=', sql.lit('pending'))
    .where('mailbox_id', 'in', (eb) =>
      eb
        .selectFrom('agents')
        .innerJoin('mailboxes', 'mailboxes.agent_id', 'agents.id')
        .select('mailboxes.id')
        .where('agents.workspace_id', '=', idToBytes(workspaceId)),
    );

/** The same, of all agents of a workspace. */
export const listBookedSends = async (
  db: Db,
  workspaceId: WorkspaceId,
  after: TimeAndId<'scheduled'> | null,
  limit: number,
): Promise<ScheduledSend[]> => {
  let query = bookedIn(db, workspaceId);
  if (after) {
    const [at, id] = [after.at, idToBytes(after.id)];
    query = query.where((eb) => eb(eb.refTuple('send_at', 'scheduled_sends.id'), '>', eb.tuple(at, id)));
  }
  const rows = await query.orderBy('send_at').orderBy('scheduled_sends.id').limit(limit).execute();
  return rows.map(scheduled.read);
};

const sums = preparedSelect((db, { id }: { id: Uint8Array }) =>
  db
    .selectFrom('scheduled_sends')
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      fn.sum<number | null>(fn('octet_length', ['request'])).as('bytes'),
      fn.min<number | null>('send_at').as('first_at'),
    ])
    .where('mailbox_id', '=', id)
    .where('status', '=', sql.lit('pending')),
);

/** What a mailbox has scheduled: the number, the stored bytes, and when the first of it is sent. */
export const sumScheduledSends = async (
  db: Db,
  mailboxId: MailboxId,
): Promise<{ count: number; bytes: number; firstAt: Millis | null }> => {
  const [row] = await sums(db, { id: idToBytes(mailboxId) });
  return { count: Number(row?.count ?? 0), bytes: Number(row?.bytes ?? 0), firstAt: row?.first_at ?? null };
};

const booker = scheduledSends.pick('bookedBy', 'byGrant', 'agentId');

/** The key or grant of a pending send, and the agent that sends it. */
export type Booker = Entity<typeof booker>;

/** Of one key or grant, or of the agents of one workspace. */
export type BookersOf = { by: KeyId | GrantId } | { workspaceId: WorkspaceId };

/** The keys and grants with pending sends, each once. @param of only these; null: all */
export const listBookers = async (db: Db, of: BookersOf | null): Promise<Booker[]> => {
  let query = db
    .selectFrom('scheduled_sends')
    .select(booker.names)
    .distinct()
    .where('status', '=', sql.lit('pending'))
    .where('booked_by', 'is not', null);
  if (of && 'by' in of) query = query.where('booked_by', '=', idToBytes(of.by));
  if (of && 'workspaceId' in of) query = query.where('agent_id', 'in', agentsIn(db, of.workspaceId));
  return (await query.execute()).map(booker.read);
};

/** The pending sends of a booker. */
export const listBookedBy = (db: Db, by: Booker): Promise<ScheduledSend[]> =>
  listRows(db, scheduledSends, { ...PENDING, ...by }, { as: scheduled });

/** The pending sends of a workspace's agents that an owner booked in their names. */
export const listBookedByOwner = async (db: Db, workspaceId: WorkspaceId, email: Address): Promise<ScheduledSend[]> =>
  (await bookedIn(db, workspaceId).where('sent_by', '=', email).execute()).map(scheduled.read);

export interface DueScheduledSend {
  scheduled: ScheduledSend;
  request: Uint8Array;
}

export const listDueScheduledSends = async (db: Db, now: Millis, limit: number): Promise<DueScheduledSend[]> => {
  const due = { ...PENDING, dueAt: atMost(now) };
  const found = await listRows(db, scheduledSends, due, { order: { dueAt: 'asc' }, limit, as: withRequest });
  return found.flatMap(({ request, ...each }) => (request ? [{ scheduled: each, request }] : []));
};

/** When the next one is due; null where none is pending. */
export const nextScheduledTime = (db: Db): Promise<Millis | null> =>
  findValue(db, scheduledSends, 'dueAt', PENDING, { dueAt: 'asc' });

/** Defers a send that failed by a fault of the instance until `dueAt`, unless it was given another time since. */
export const deferScheduledSend = (tx: Tx, { id, attempts, sendAt }: ScheduledSend, dueAt: Millis): Promise<void> =>
  updateRows(tx, scheduledSends, { id, status: 'pending', sendAt }, { dueAt, attempts: attempts + 1 });

/** Gives a pending one another time. @returns false where it has ended before */
export const moveScheduledSend = async (tx: Tx, id: ScheduledId, sendAt: Millis): Promise<boolean> =>
  (await updateAndCount(tx, scheduledSends, { id, status: 'pending' }, { sendAt, dueAt: sendAt })) > 0;

export type ScheduledResult =
  | { status: 'sent'; messageId: MessageId }
  | { status: 'held'; pendingId: PendingId }
  | { status: 'failed'; failureReason: string }
  | { status: 'cancelled'; cancelledBy?: ScheduledSend['cancelledBy'] };

/** Ends a pending one. @returns false where it has ended before */
export const endScheduledSend = async (tx: Tx, id: ScheduledId, result: ScheduledResult): Promise<boolean> =>
  (await updateAndCount(tx, scheduledSends, { id, status: 'pending' }, { ...result, request: null })) > 0;

/** Ends a pending one that is due. @returns false where it has ended or was given another time since it was read */
export const endDueSend = async (tx: Tx, { id, sendAt }: ScheduledSend, result: ScheduledResult): Promise<boolean> =>
  (await updateAndCount(tx, scheduledSends, { id, sendAt, status: 'pending' }, { ...result, request: null })) > 0;
