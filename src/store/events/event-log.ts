/** Events as they are kept: one row each, written in the transaction of their cause. */

import { type Selectable, sql } from 'kysely';
import type { Millis } from '../../kernel/clock.ts';
import type { MailboxId, WorkspaceId } from '../../kernel/ids.ts';
import { preparedInsert } from '../prepared-insert.ts';
import type { Schema } from '../schema.ts';
import type { Db, Tx } from '../store.ts';
import { fromBlob, toBlob } from '../values.ts';

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

const fromRow = (row: Selectable<Schema['events']>): StoredEvent => ({
  seq: row.seq,
  id: row.id,
  workspaceId: fromBlob(row.workspace_id),
  mailboxId: row.mailbox_id && fromBlob(row.mailbox_id),
  name: row.name,
  data: JSON.parse(row.data) as Record<string, unknown>,
  createdAt: row.created_at,
});

/** Everybody's, after a seq, oldest first. */
export const listEventsAfter = async (db: Db, after: number, limit: number): Promise<StoredEvent[]> => {
  const rows = await db.selectFrom('events').selectAll().where('seq', '>', after).orderBy('seq').limit(limit).execute();
  return rows.map(fromRow);
};

/** A workspace's, after a seq, oldest first. */
export const listWorkspaceEvents = async (
  db: Db,
  workspaceId: WorkspaceId,
  after: number,
  limit: number,
): Promise<StoredEvent[]> => {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('workspace_id', '=', toBlob(workspaceId))
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute();
  return rows.map(fromRow);
};

/** The seq of an event by its id; null where the workspace has none of that id. */
export const findEventSeq = async (db: Db, workspaceId: WorkspaceId, id: string): Promise<number | null> => {
  const row = await db
    .selectFrom('events')
    .select('seq')
    .where('id', '=', id)
    .where('workspace_id', '=', toBlob(workspaceId))
    .executeTakeFirst();
  return row?.seq ?? null;
};

/** The latest event's seq; 0 where there is none. */
export const latestEventSeq = async (db: Db): Promise<number> => {
  const row = await db.selectFrom('events').select('seq').orderBy('seq', 'desc').limit(1).executeTakeFirst();
  return row?.seq ?? 0;
};

/** The seq of the latest event that is not younger than a time; 0 where all are. */
export const eventSeqAt = async (db: Db, at: Millis): Promise<number> => {
  const row = await db
    .selectFrom('events')
    .select('seq')
    .where('created_at', '<=', at)
    .orderBy('created_at', 'desc')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.seq ?? 0;
};

/** Deletes some of the events up to a seq. @returns how many, at most `limit` */
export const purgeEventsUntil = async (tx: Tx, until: number, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from events where seq in (select seq from events where seq <= ${until} order by seq limit ${limit})
  `.execute(tx.db);
  return Number(numAffectedRows ?? 0n);
};
