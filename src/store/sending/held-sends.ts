/** Mail held for a person's decision: the exact bytes to send, until it is decided or a week has passed. */

import { sql } from 'kysely';
import type { Millis } from '../../kernel/clock.ts';
import { type AgentId, idToBytes, type MailboxId, type PendingId, type WorkspaceId } from '../../kernel/ids.ts';
import type { TimeAndId } from '../../kernel/page.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { preparedSelect } from '../prepared-statement.ts';
import {
  above,
  atMost,
  countUpTo,
  findRow,
  findValue,
  listRows,
  literal,
  not,
  notNull,
  updateAndCount,
  updateRows,
  within,
} from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { type HeldOriginal, type HoldReason, heldSends } from './sending-mappings.ts';

export type { HeldOriginal, HeldSecret, HoldReason } from './sending-mappings.ts';

/** Mail held for these reasons keeps its subject and text out of events and notices. */
export const MAY_HOLD_SECRET: ReadonlySet<HoldReason> = new Set([
  'holds_a_secret',
  'secrets_not_checked',
  'guesses_secrets',
]);

/** Without the bytes. */
const held = heldSends.omit('outgoing', 'mime', 'size', 'original');
export type HeldSend = Entity<typeof held>;

/** The bytes that go out once it is released: JSON of the prepared message, and its compressed MIME. */
export interface HeldMail {
  outgoing: string;
  mime: Uint8Array;
  size: number;
}

type NewHeldSend = Omit<
  HeldSend,
  'status' | 'messageId' | 'decisionNote' | 'failureReason' | 'decidedBy' | 'decidedAt' | 'releaseAt' | 'changes'
>;

const PENDING = { status: literal('pending') };

const insert = preparedInsert(heldSends);

export const insertHeldSend = (tx: Tx, pending: NewHeldSend, mail: HeldMail): Promise<void> =>
  insert(tx, { ...pending, ...mail, status: 'pending' });

/** @param mailboxId null: of any mailbox, for a reviewer */
export const findHeldSend = (db: Db, mailboxId: MailboxId | null, id: PendingId): Promise<HeldSend | null> =>
  findRow(db, heldSends, { id, ...(mailboxId && { mailboxId }) }, { as: held });

/** Null once the mail went or was discarded. */
export const findHeldMail = async (db: Db, id: PendingId): Promise<HeldMail | null> => {
  const mail = await findRow(db, heldSends, { id }, { as: heldSends.pick('outgoing', 'mime', 'size') });
  return mail?.mime ? { ...mail, mime: mail.mime } : null;
};

/** Whether an unreleased mail of the agent holds a secret that was not granted to it. */
export const hasHeldNotGranted = async (db: Db, agentId: AgentId, since: Millis): Promise<boolean> => {
  const unreleased = { agentId, notGranted: literal(true), status: not('approved' as const), createdAt: above(since) };
  return (await findValue(db, heldSends, 'createdAt', unreleased)) !== null;
};

/** The part of held mail that a list shows. */
export interface HeldFilter {
  mailboxId?: MailboxId;
  workspaceId?: WorkspaceId;
  /** Whether approved mail that can still be undone is left out. */
  isUndecided?: boolean;
  /** Only those behind this one in the list. */
  after?: TimeAndId<'pending'> | null;
  limit: number;
}

/** Undecided, newest first. */
export const listHeldSends = (
  db: Db,
  { mailboxId, workspaceId, isUndecided, after, limit }: HeldFilter,
): Promise<HeldSend[]> => {
  const chosen = {
    ...PENDING,
    ...(mailboxId && { mailboxId }),
    ...(workspaceId && { workspaceId }),
    ...(isUndecided && { releaseAt: null }),
  };
  const behind = after && { createdAt: after.at, id: after.id };
  return listRows(db, heldSends, chosen, { order: { createdAt: 'desc', id: 'desc' }, behind, limit, as: held });
};

/** All that was held in a span of time, decided or not, newest first. */
export const listHeldBetween = (
  db: Db,
  mailboxId: MailboxId,
  { since, until }: { since: Millis; until: Millis },
  limit: number,
): Promise<HeldSend[]> => {
  const between = { mailboxId, createdAt: within(since, until) };
  return listRows(db, heldSends, between, { order: { createdAt: 'desc' }, limit, as: held });
};

/** Decided or expired, the latest decision first. @param workspaceId null: of every one */
export const listDecidedSends = (
  db: Db,
  workspaceId: WorkspaceId | null,
  after: TimeAndId<'pending'> | null,
  limit: number,
): Promise<HeldSend[]> => {
  const decided = { decidedAt: notNull, ...(workspaceId && { workspaceId }) };
  const behind = after && { decidedAt: after.at, id: after.id };
  return listRows(db, heldSends, decided, { order: { decidedAt: 'desc', id: 'desc' }, behind, limit, as: held });
};

export const listExpiredHeldSends = (db: Db, now: Millis, limit: number): Promise<HeldSend[]> => {
  const expired = { ...PENDING, expiresAt: atMost(now) };
  return listRows(db, heldSends, expired, { order: { expiresAt: 'asc' }, limit, as: held });
};

export interface Decision {
  status: 'approved' | 'rejected' | 'expired';
  by: string | null;
  note: string | null;
  at: Millis;
}

/** Decides one that is undecided. @returns false where it was decided before */
export const decideHeldSend = async (tx: Tx, id: PendingId, { status, by, note, at }: Decision): Promise<boolean> => {
  const decided = { status, decidedBy: by, decisionNote: note, decidedAt: at, releaseAt: null };
  return (await updateAndCount(tx, heldSends, { id, status: 'pending' }, decided)) > 0;
};

/**
 * Records the result of a decision, and drops the bytes: they stand with the message now, or are discarded with what an
 * owner edited.
 * @param result null where it was not approved
 */
export const recordHeldResult = async (
  tx: Tx,
  id: PendingId,
  result: Partial<Pick<HeldSend, 'messageId' | 'failureReason'>> | null,
): Promise<void> => {
  const dropped = { mime: null, outgoing: '{}', htmlText: null, original: null };
  await updateRows(tx, heldSends, { id }, { ...(result ?? { changes: null }), ...dropped });
};

/** Approved mail that may still be undone: `releaseAt` is when it goes. Null: it awaits a decision again. */
export const setRelease = async (
  tx: Tx,
  id: PendingId,
  release: { by: string; note: string | null; releaseAt: Millis } | null,
): Promise<void> => {
  const { by = null, note = null, releaseAt = null } = release ?? {};
  await updateRows(tx, heldSends, { id, status: 'pending' }, { decidedBy: by, decisionNote: note, releaseAt });
};

export const listReleases = (db: Db, limit: number): Promise<HeldSend[]> =>
  listRows(db, heldSends, { releaseAt: notNull }, { order: { releaseAt: 'asc' }, limit, as: held });

/** The agent's own version; null where no owner has edited it. */
export const findOriginal = (db: Db, id: PendingId): Promise<HeldOriginal | null> =>
  findValue(db, heldSends, 'original', { id });

export type HeldEdit = Pick<
  HeldSend,
  'to' | 'cc' | 'bcc' | 'subject' | 'snippet' | 'attachments' | 'htmlText' | 'secrets' | 'changes'
> & { original: HeldOriginal };

/** Puts an edited mail in the place of a held one. */
export const replaceHeldMail = (tx: Tx, id: PendingId, edit: HeldEdit, mail: HeldMail): Promise<void> =>
  updateRows(tx, heldSends, { id, status: 'pending' }, { ...edit, ...mail });

/** Undecided held mail, up to `most`. */
export const countHeldSends = (db: Db, most: number): Promise<number> => countUpTo(db, heldSends, PENDING, most);

const sums = preparedSelect((db, { id }: { id: Uint8Array }) =>
  db
    .selectFrom('pending_sends')
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      fn.sum<number | null>('size').as('bytes'),
      fn.min<number | null>('expires_at').as('first_expires_at'),
    ])
    .where('mailbox_id', '=', id)
    .where('status', '=', sql.lit('pending')),
);

/** A mailbox's undecided mail: the number, the bytes, and when the first of it expires. */
export const sumHeldSends = async (
  db: Db,
  mailboxId: MailboxId,
): Promise<{ count: number; bytes: number; firstExpiresAt: Millis | null }> => {
  const [row] = await sums(db, { id: idToBytes(mailboxId) });
  return {
    count: Number(row?.count ?? 0),
    bytes: Number(row?.bytes ?? 0),
    firstExpiresAt: row?.first_expires_at ?? null,
  };
};

interface HeldOfAgent {
  handle: string;
  count: number;
  oldestAt: Millis;
  nextExpiryAt: Millis;
}

/** A workspace's mail that awaits a decision, by agent; most first. */
export const sumHeldByAgent = async (db: Db, workspaceId: WorkspaceId): Promise<HeldOfAgent[]> => {
  const rows = await db
    .selectFrom('pending_sends')
    .innerJoin('agents', 'agents.id', 'pending_sends.agent_id')
    .select(({ fn }) => [
      'agents.handle',
      fn.countAll<number>().as('count'),
      fn.min('pending_sends.created_at').as('oldestAt'),
      fn.min('expires_at').as('nextExpiryAt'),
    ])
    .where('pending_sends.workspace_id', '=', idToBytes(workspaceId))
    .where('status', '=', sql.lit('pending'))
    .where('release_at', 'is', null)
    .groupBy('agents.handle')
    .execute();
  return rows.map((row) => ({ ...row, count: Number(row.count) })).toSorted((one, other) => other.count - one.count);
};

/** Undecided mail of workspaces that was held since. */
export const countHeldSince = async (db: Db, workspaceIds: readonly WorkspaceId[], since: Millis): Promise<number> => {
  if (workspaceIds.length === 0) return 0;
  const row = await db
    .selectFrom('pending_sends')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('status', '=', sql.lit('pending'))
    .where('workspace_id', 'in', workspaceIds.map(idToBytes))
    .where('created_at', '>=', since)
    .executeTakeFirstOrThrow();
  return Number(row.count);
};
