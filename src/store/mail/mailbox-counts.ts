/** Counts of a mailbox's mail, each a bounded walk of one index. */

import type { Millis } from '../../kernel/clock.ts';
import { type AgentId, idToBytes, type MailboxId } from '../../kernel/ids.ts';
import { atLeast, countRows, countUpTo, literal, within } from '../rows.ts';
import type { Db } from '../store.ts';
import { messages } from './mail-mappings.ts';

/** Unread mail, up to `most`. */
export const countUnread = (db: Db, mailboxId: MailboxId, most: number): Promise<number> =>
  countUpTo(db, messages, { mailboxId, unread: literal(true) }, most);

/** Mail of a direction that was stored at a time or after it, up to `most`. */
export const countMailSince = (
  db: Db,
  mailboxId: MailboxId,
  direction: 'in' | 'out',
  at: Millis,
  most: number,
): Promise<number> => countUpTo(db, messages, { mailboxId, direction, createdAt: atLeast(at) }, most);

/** When one of the agent's keys was last used; null: never. */
export const findLastKeyUse = async (db: Db, agentId: AgentId): Promise<Millis | null> => {
  const row = await db
    .selectFrom('api_keys')
    .select((eb) => eb.fn.max('last_used_at').as('at'))
    .where('agent_id', '=', idToBytes(agentId))
    .executeTakeFirst();
  return row?.at ?? null;
};

export interface Span {
  since: Millis;
  until: Millis;
}

/** Mail of a direction in a span of time, which bounds the cost. */
export const countMailWithin = (
  db: Db,
  mailboxId: MailboxId,
  direction: 'in' | 'out',
  { since, until }: Span,
): Promise<number> => countRows(db, messages, { mailboxId, direction, createdAt: within(since, until) });

/** Counts the mail sent in a span of time that bounced. */
export const countBouncedWithin = (db: Db, mailboxId: MailboxId, { since, until }: Span): Promise<number> =>
  countRows(db, messages, { mailboxId, direction: 'out', createdAt: within(since, until), status: 'bounced' });

/** How long each mail of a span took that answers one of the mailbox, the latest `most` of what was sent. */
export const listReplyDelays = async (
  db: Db,
  mailboxId: MailboxId,
  { since, until }: Span,
  most: number,
): Promise<Millis[]> => {
  const rows = await db
    .selectFrom('messages as sent')
    .where('sent.mailbox_id', '=', idToBytes(mailboxId))
    .where('sent.direction', '=', 'out')
    .where('sent.created_at', '>=', since)
    .where('sent.created_at', '<', until)
    .orderBy('sent.created_at', 'desc')
    .limit(most)
    .select((eb) => [
      'sent.created_at as sent',
      // One alone: an outsider may send many of one id.
      eb
        .selectFrom('messages as answered')
        .whereRef('answered.mailbox_id', '=', 'sent.mailbox_id')
        .whereRef('answered.rfc_message_id', '=', 'sent.in_reply_to')
        .where('answered.direction', '=', 'in')
        .select('answered.created_at')
        .limit(1)
        .as('came'),
    ])
    .execute();
  return rows.flatMap(({ sent, came }) => (came === null || came > sent ? [] : [sent - came]));
};
