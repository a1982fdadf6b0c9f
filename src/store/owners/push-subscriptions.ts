/** Push subscriptions of browsers, one for each session: it ends with the session. */

import type { Millis } from '../../kernel/clock.ts';
import { idToBytes, type OwnerId, type WorkspaceId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedPut } from '../prepared-insert.ts';
import { deleteAndCount, deleteRows, findRow, not } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { pushMessages, pushSubscriptions } from './owners-mappings.ts';

export type PushSubscription = Entity<typeof pushSubscriptions>;

export const findPushSubscription = (db: Db, sessionHash: Uint8Array): Promise<PushSubscription | null> =>
  findRow(db, pushSubscriptions, { sessionHash });

const put = preparedPut(pushSubscriptions, 'endpoint', 'publicKey', 'auth', 'tellsHeld', 'tellsNeeds');

/**
 * Puts a session's subscription in the place of the one it has. The same browser may have had it in an earlier session,
 * which it proves by the keys.
 */
export const putPushSubscription = async (tx: Tx, subscription: PushSubscription): Promise<void> => {
  const { sessionHash, endpoint, publicKey, auth } = subscription;
  await deleteRows(tx, pushSubscriptions, { endpoint, publicKey, auth, sessionHash: not(sessionHash) });
  await put(tx, subscription);
};

/** @param endpoint where given, only while it is still this one @returns false where there was none */
export const deletePushSubscription = async (tx: Tx, sessionHash: Uint8Array, endpoint?: string): Promise<boolean> =>
  (await deleteAndCount(tx, pushSubscriptions, { sessionHash, ...(endpoint !== undefined && { endpoint }) })) > 0;

const withSessions = (db: Db) =>
  db
    .selectFrom('push_subscriptions')
    .innerJoin('owner_sessions', 'owner_sessions.hash', 'push_subscriptions.session_hash')
    .select(pushSubscriptions.qualifiedNames);

/** Those of an owner in sessions that are valid at `now`. */
export const listSubscriptionsOf = async (db: Db, ownerId: OwnerId, now: Millis): Promise<PushSubscription[]> => {
  const ofOwner = withSessions(db).where('push_subscriptions.owner_id', '=', idToBytes(ownerId));
  return (await ofOwner.where('owner_sessions.expires_at', '>', now).execute()).map(pushSubscriptions.read);
};

/** Those in sessions that have ended for want of use. */
export const listUnusedSubscriptions = async (db: Db, now: Millis): Promise<PushSubscription[]> =>
  (await withSessions(db).where('owner_sessions.expires_at', '<=', now).execute()).map(pushSubscriptions.read);

/** Those of a workspace's owners, in sessions that are valid at `now`, that are told of a kind. */
export const listSubscribed = async (
  db: Db,
  workspaceId: WorkspaceId,
  kind: 'tells_held' | 'tells_needs',
  now: Millis,
): Promise<PushSubscription[]> => {
  const rows = await withSessions(db)
    .innerJoin('workspace_owners', 'workspace_owners.owner_id', 'push_subscriptions.owner_id')
    .where('workspace_owners.workspace_id', '=', idToBytes(workspaceId))
    .where('owner_sessions.expires_at', '>', now)
    .where(`push_subscriptions.${kind}`, '=', 1)
    .execute();
  return rows.map(pushSubscriptions.read);
};

/** Workspaces that have a browser which is told what needs its person. */
export const listWatchedWorkspaces = async (db: Db, now: Millis): Promise<WorkspaceId[]> => {
  const rows = await db
    .selectFrom('push_subscriptions')
    .innerJoin('workspace_owners', 'workspace_owners.owner_id', 'push_subscriptions.owner_id')
    .innerJoin('owner_sessions', 'owner_sessions.hash', 'push_subscriptions.session_hash')
    .innerJoin('workspaces', 'workspaces.id', 'workspace_owners.workspace_id')
    .select('workspaces.id')
    .where('push_subscriptions.tells_needs', '=', 1)
    .where('owner_sessions.expires_at', '>', now)
    .where('workspaces.removed_at', 'is', null)
    .execute();
  return [...new Set(rows.map(({ id }) => pushMessages.columns.workspaceId.fromStored(id)))];
};
