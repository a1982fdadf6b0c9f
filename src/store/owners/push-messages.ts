/** What browsers are to be told by push: one row for each browser and tag, kept for a while after it was sent. */

import type { Millis } from '../../kernel/clock.ts';
import { idToBytes, type WorkspaceId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedPut } from '../prepared-insert.ts';
import { atMost, findRow, findValue, listRows, notNull, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { pushMessages } from './owners-mappings.ts';

export type PushMessage = Entity<typeof pushMessages>;

export const findPushMessage = (db: Db, sessionHash: Uint8Array, tag: string): Promise<PushMessage | null> =>
  findRow(db, pushMessages, { sessionHash, tag });

/** Puts it in the place of the one of its tag; when that was sent stays known. */
export const putPushMessage = preparedPut(pushMessages, 'workspaceId', 'data', 'changedAt', 'dueAt', 'attempts');

export const listDuePushMessages = (db: Db, now: Millis, limit: number): Promise<PushMessage[]> =>
  listRows(db, pushMessages, { dueAt: atMost(now) }, { order: { dueAt: 'asc' }, limit });

/** When the next one is due; null: none is. */
export const findNextPushDue = (db: Db): Promise<Millis | null> =>
  findValue(db, pushMessages, 'dueAt', { dueAt: notNull }, { dueAt: 'asc' });

/** Records an attempt; what replaced the message meanwhile stays due. */
export const recordPushAttempt = async (
  tx: Tx,
  { sessionHash, tag, changedAt }: PushMessage,
  { attempts, dueAt, sentAt }: Pick<PushMessage, 'attempts' | 'dueAt' | 'sentAt'>,
): Promise<void> => {
  await updateRows(tx, pushMessages, { sessionHash, tag }, { sentAt });
  await updateRows(tx, pushMessages, { sessionHash, tag, changedAt }, { attempts, dueAt });
};

/** Whether the session that a message is for still reaches the workspace that it is about. */
export const mayTell = async (
  db: Db,
  { sessionHash, workspaceId }: { sessionHash: Uint8Array; workspaceId: WorkspaceId },
  now: Millis,
): Promise<boolean> => {
  const row = await db
    .selectFrom('owner_sessions')
    .innerJoin('workspace_owners', 'workspace_owners.owner_id', 'owner_sessions.owner_id')
    .select('owner_sessions.hash')
    .where('owner_sessions.hash', '=', sessionHash)
    .where('owner_sessions.expires_at', '>', now)
    .where('workspace_owners.workspace_id', '=', idToBytes(workspaceId))
    .executeTakeFirst();
  return row !== undefined;
};
