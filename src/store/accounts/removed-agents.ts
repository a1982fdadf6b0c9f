/** What removed agents leave behind: queued mail, scheduled and held sends, webhook endpoints, and their mail. */

import { sql } from 'kysely';
import type { Millis } from '../../kernel/clock.ts';
import type { AgentId, DeliveryId, MailboxId, ScheduledId, WorkspaceId } from '../../kernel/ids.ts';
import { idFromBytes } from '../../kernel/ids.ts';
import { webhooks } from '../events/events-mappings.ts';
import { deleteRows, listValues, literal, notNull, updateRows } from '../rows.ts';
import { deliveries, scheduledSends } from '../sending/sending-mappings.ts';
import type { Db, Tx } from '../store.ts';
import { agents } from './accounts-mappings.ts';

export interface RemovedAgent {
  id: AgentId;
  workspaceId: WorkspaceId;
  handle: string;
  /** Null once its mail is deleted. */
  mailboxId: MailboxId | null;
  removedAt: Millis;
}

const select = (db: Db) =>
  db
    .selectFrom('agents')
    .leftJoin('mailboxes', (join) =>
      join.onRef('mailboxes.agent_id', '=', 'agents.id').on('mailboxes.receive_only', '=', sql.lit(0)),
    )
    .select(['agents.id', 'agents.workspace_id', 'agents.handle', 'agents.removed_at', 'mailboxes.id as mailbox_id']);

/** Removed agents that are due, the longest due first. */
export const listDueCleanups = async (db: Db, now: Millis, limit: number): Promise<RemovedAgent[]> => {
  const rows = await select(db)
    .where('agents.cleanup_at', '<=', now)
    .orderBy('agents.cleanup_at')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    id: idFromBytes(row.id),
    workspaceId: idFromBytes(row.workspace_id),
    handle: row.handle,
    mailboxId: row.mailbox_id && idFromBytes(row.mailbox_id),
    removedAt: row.removed_at ?? now,
  }));
};

/** @param at null: nothing is left */
export const setCleanup = (tx: Tx, id: AgentId, at: Millis | null): Promise<void> =>
  updateRows(tx, agents, { id }, { cleanupAt: at });

/** A mailbox's rows of the queue, attempts in progress included. */
export const listQueuedOf = (db: Db, mailboxId: MailboxId, limit: number): Promise<DeliveryId[]> =>
  listValues(db, deliveries, 'id', { mailboxId, dueAt: notNull }, { order: { dueAt: 'asc' }, limit });

/** A mailbox's pending scheduled sends. */
export const listScheduledOf = (db: Db, mailboxId: MailboxId, limit: number): Promise<ScheduledId[]> => {
  const pending = { mailboxId, status: literal('pending') };
  return listValues(db, scheduledSends, 'id', pending, { order: { sendAt: 'asc' }, limit });
};

/** Deletes the endpoints of this mailbox alone; their waiting deliveries are purged with the events. */
export const deleteWebhooksOf = (tx: Tx, mailboxId: MailboxId): Promise<void> =>
  deleteRows(tx, webhooks, { mailboxId });
