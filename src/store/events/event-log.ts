/** The event log: one row each, written in the transaction of its cause. */

import type { Millis } from '../../kernel/clock.ts';
import type { WorkspaceId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedNumberedInsert } from '../prepared-insert.ts';
import { above, atMost, deleteSome, findValue, listRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { events } from './events-mappings.ts';

export type StoredEvent = Entity<typeof events>;

const insert = preparedNumberedInsert(events.omit('seq'), 'seq');

/** Numbers ascend with the commits: one transaction at a time writes. @returns its seq */
export const insertEvent: (tx: Tx, event: Omit<StoredEvent, 'seq'>) => Promise<number> = insert;

/** Events of all workspaces after a seq, oldest first. */
export const listEventsAfter = (db: Db, after: number, limit: number): Promise<StoredEvent[]> =>
  listRows(db, events, { seq: above(after) }, { order: { seq: 'asc' }, limit });

/** A workspace's, after a seq, oldest first. */
export const listWorkspaceEvents = async (
  db: Db,
  workspaceId: WorkspaceId,
  after: number,
  limit: number,
): Promise<StoredEvent[]> => listRows(db, events, { workspaceId, seq: above(after) }, { order: { seq: 'asc' }, limit });

/** Those of these seqs, in no order. */
export const listEventsOf = async (db: Db, seqs: readonly number[]): Promise<StoredEvent[]> =>
  (await db.selectFrom('events').selectAll().where('seq', 'in', seqs).execute()).map(events.read);

/** The seq of an event by its id; null where the workspace has none of that id. */
export const findEventSeq = (db: Db, workspaceId: WorkspaceId, id: string): Promise<number | null> =>
  findValue(db, events, 'seq', { id, workspaceId });

/** The id of a workspace's latest event; null where it has none. */
export const latestEventId = (db: Db, workspaceId: WorkspaceId): Promise<string | null> =>
  findValue(db, events, 'id', { workspaceId }, { seq: 'desc' });

/** The latest event's seq; 0 where there is none. */
export const latestEventSeq = async (db: Db): Promise<number> =>
  (await findValue(db, events, 'seq', {}, { seq: 'desc' })) ?? 0;

/** The seq of the latest event that is not younger than a time; 0 where all are. */
export const eventSeqAt = async (db: Db, at: Millis): Promise<number> =>
  (await findValue(db, events, 'seq', { createdAt: atMost(at) }, { createdAt: 'desc', seq: 'desc' })) ?? 0;

/** Deletes some of the events up to a seq. @returns their number, at most `limit` */
export const purgeEventsUntil = (tx: Tx, until: number, limit: number): Promise<number> =>
  deleteSome(tx, events, { seq: atMost(until) }, limit);
