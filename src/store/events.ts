/** Events as they are kept: one row each, written in the transaction of their cause. */

import type { Millis } from '../kernel/clock.ts';
import type { MailboxId, WorkspaceId } from '../kernel/ids.ts';
import { preparedInsert } from './sqlite/prepared-insert.ts';
import type { Tx } from './store.ts';
import { toBlob } from './values.ts';

export interface StoredEvent {
  /** Ascends with the commits: what comes after a seq has not been seen by who read up to it. */
  seq: number;
  /** The envelope's id, `evt_…`. */
  id: string;
  workspaceId: WorkspaceId;
  mailboxId: MailboxId | null;
  name: string;
  data: Record<string, unknown>;
  createdAt: Millis;
}

const insert = preparedInsert('events', ['id', 'workspace_id', 'mailbox_id', 'name', 'data', 'created_at']);

/** @returns its seq */
export const insertEvent = (tx: Tx, event: Omit<StoredEvent, 'seq'>): Promise<number> =>
  insert(tx, {
    id: event.id,
    workspace_id: toBlob(event.workspaceId),
    mailbox_id: event.mailboxId && toBlob(event.mailboxId),
    name: event.name,
    data: JSON.stringify(event.data),
    created_at: event.createdAt,
  });
