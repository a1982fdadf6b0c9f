/** Mail held for a person: the bytes exactly as they will go, until somebody decides or a week has passed. */

import { type Selectable, sql } from 'kysely';
import type { NamedAddress } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { AgentId, MailboxId, MessageId, PendingId, WorkspaceId } from '../../kernel/ids.ts';
import type { TimeAndId } from '../../kernel/page.ts';
import type { StoredAttachment } from '../mail/messages.ts';
import type { Schema } from '../schema.ts';
import type { Db, Tx } from '../store.ts';
import { fromBlob, toBlob } from '../values.ts';

/** Why a person has to see a mail first. */
export type HoldReason = 'agent_on_hold' | 'thread_failed_authentication' | 'recipient_failed_authentication';

export interface HeldSend {
  id: PendingId;
  agentId: AgentId;
  mailboxId: MailboxId;
  workspaceId: WorkspaceId;
  status: 'pending' | 'approved' | 'rejected' | 'expired';
  reason: HoldReason;
  sendClass: 'reply' | 'cold';
  /** The envelope's recipients, by the field that names them; `bcc` are those that none names. */
  to: NamedAddress[];
  cc: NamedAddress[];
  bcc: NamedAddress[];
  /** Where answers to it would go; empty: to the agent. */
  replyTo: NamedAddress[];
  subject: string;
  snippet: string;
  attachments: StoredAttachment[];
  /** The text of the HTML part where it reads differently from the text part; null once it is decided. */
  htmlText: string | null;
  messageId: MessageId | null;
  decisionNote: string | null;
  failureReason: string | null;
  /** Who decided; null for time itself. */
  decidedBy: string | null;
  decidedAt: Millis | null;
  createdAt: Millis;
  expiresAt: Millis;
}

/** What goes out once it is released: JSON of whoever made it, and its compressed MIME. */
export interface HeldMail {
  outgoing: string;
  mime: Uint8Array;
  size: number;
}

const COLUMNS = [
  'id',
  'agent_id',
  'mailbox_id',
  'workspace_id',
  'status',
  'reason',
  'send_class',
  'to_list',
  'cc_list',
  'bcc_list',
  'reply_to',
  'subject',
  'snippet',
  'attachments',
  'html_text',
  'message_id',
  'decision_note',
  'failure_reason',
  'decided_by',
  'decided_at',
  'created_at',
  'expires_at',
] as const;

const fromRow = (row: Pick<Selectable<Schema['pending_sends']>, (typeof COLUMNS)[number]>): HeldSend => ({
  id: fromBlob(row.id),
  agentId: fromBlob(row.agent_id),
  mailboxId: fromBlob(row.mailbox_id),
  workspaceId: fromBlob(row.workspace_id),
  status: row.status,
  reason: row.reason as HoldReason,
  sendClass: row.send_class,
  to: JSON.parse(row.to_list) as NamedAddress[],
  cc: JSON.parse(row.cc_list) as NamedAddress[],
  bcc: JSON.parse(row.bcc_list) as NamedAddress[],
  replyTo: JSON.parse(row.reply_to) as NamedAddress[],
  subject: row.subject,
  snippet: row.snippet,
  attachments: JSON.parse(row.attachments) as StoredAttachment[],
  htmlText: row.html_text,
  messageId: row.message_id && fromBlob(row.message_id),
  decisionNote: row.decision_note,
  failureReason: row.failure_reason,
  decidedBy: row.decided_by,
  decidedAt: row.decided_at,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
});

type NewHeldSend = Omit<
  HeldSend,
  'status' | 'messageId' | 'decisionNote' | 'failureReason' | 'decidedBy' | 'decidedAt'
>;

export const insertHeldSend = async (tx: Tx, pending: NewHeldSend, held: HeldMail): Promise<void> => {
  await tx.db
    .insertInto('pending_sends')
    .values({
      id: toBlob(pending.id),
      agent_id: toBlob(pending.agentId),
      mailbox_id: toBlob(pending.mailboxId),
      workspace_id: toBlob(pending.workspaceId),
      status: 'pending',
      reason: pending.reason,
      send_class: pending.sendClass,
      to_list: JSON.stringify(pending.to),
      cc_list: JSON.stringify(pending.cc),
      bcc_list: JSON.stringify(pending.bcc),
      reply_to: JSON.stringify(pending.replyTo),
      subject: pending.subject,
      snippet: pending.snippet,
      attachments: JSON.stringify(pending.attachments),
      html_text: pending.htmlText,
      outgoing: held.outgoing,
      mime: held.mime,
      size: held.size,
      message_id: null,
      decision_note: null,
      failure_reason: null,
      decided_by: null,
      decided_at: null,
      created_at: pending.createdAt,
      expires_at: pending.expiresAt,
    })
    .execute();
};

/** @param mailboxId null for a reviewer, who sees every mailbox's */
export const findHeldSend = async (db: Db, mailboxId: MailboxId | null, id: PendingId): Promise<HeldSend | null> => {
  let query = db.selectFrom('pending_sends').select(COLUMNS).where('id', '=', toBlob(id));
  if (mailboxId) query = query.where('mailbox_id', '=', toBlob(mailboxId));
  const row = await query.executeTakeFirst();
  return row ? fromRow(row) : null;
};

/** Null once the bytes are gone: after the mail went, or was discarded. */
export const findHeldMail = async (db: Db, id: PendingId): Promise<HeldMail | null> => {
  const row = await db
    .selectFrom('pending_sends')
    .select(['outgoing', 'mime', 'size'])
    .where('id', '=', toBlob(id))
    .executeTakeFirst();
  return row?.mime ? { outgoing: row.outgoing, mime: row.mime, size: row.size } : null;
};

/** What a list of held mail is cut to. */
export interface HeldFilter {
  mailboxId?: MailboxId;
  workspaceId?: WorkspaceId;
  /** Only what stands after this one in the list. */
  after?: TimeAndId<'pending'> | null;
  limit: number;
}

/** What waits for a decision, newest first. */
export const listHeldSends = async (
  db: Db,
  { mailboxId, workspaceId, after, limit }: HeldFilter,
): Promise<HeldSend[]> => {
  let query = db
    .selectFrom('pending_sends')
    .select(COLUMNS)
    .where('status', '=', sql.lit('pending'))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (mailboxId) query = query.where('mailbox_id', '=', toBlob(mailboxId));
  if (workspaceId) query = query.where('workspace_id', '=', toBlob(workspaceId));
  if (after) {
    query = query.where((eb) => eb(eb.refTuple('created_at', 'id'), '<', eb.tuple(after.at, toBlob(after.id))));
  }
  return (await query.execute()).map(fromRow);
};

export const listExpiredHeldSends = async (db: Db, now: Millis, limit: number): Promise<HeldSend[]> => {
  const rows = await db
    .selectFrom('pending_sends')
    .select(COLUMNS)
    .where('status', '=', sql.lit('pending'))
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit)
    .execute();
  return rows.map(fromRow);
};

export interface Decision {
  status: 'approved' | 'rejected' | 'expired';
  by: string | null;
  note: string | null;
  at: Millis;
}

/** Decides what is still open. @returns false where somebody decided before */
export const decideHeldSend = async (tx: Tx, id: PendingId, decision: Decision): Promise<boolean> => {
  const result = await tx.db
    .updateTable('pending_sends')
    .set({
      status: decision.status,
      decided_by: decision.by,
      decision_note: decision.note,
      decided_at: decision.at,
    })
    .where('id', '=', toBlob(id))
    .where('status', '=', 'pending')
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
};

/** What came of an approval. The bytes are dropped: they stand with the message now, or will never go. */
export const recordHeldResult = async (
  tx: Tx,
  id: PendingId,
  result: { messageId: MessageId } | { failureReason: string } | null,
): Promise<void> => {
  await tx.db
    .updateTable('pending_sends')
    .set({
      mime: null,
      outgoing: '{}',
      html_text: null,
      ...(result && 'messageId' in result && { message_id: toBlob(result.messageId) }),
      ...(result && 'failureReason' in result && { failure_reason: result.failureReason }),
    })
    .where('id', '=', toBlob(id))
    .execute();
};
