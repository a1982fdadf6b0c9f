/** Calls of what persons are told while away. */

import { findWorkspaceById } from '../../../src/store/accounts/workspaces.ts';
import * as sessions from '../../../src/store/owners/owner-sessions.ts';
import * as owners from '../../../src/store/owners/owners.ts';
import * as messages from '../../../src/store/owners/push-messages.ts';
import * as subscriptions from '../../../src/store/owners/push-subscriptions.ts';
import * as needs from '../../../src/store/owners/told-needs.ts';
import * as settings from '../../../src/store/owners/told-settings.ts';
import { type CallContext, type CallsOf, REMOTE, unknownId } from './call.ts';

const HASH = Buffer.alloc(32, 1);

const subscribe = async ({ tx, small, now }: CallContext): Promise<void> => {
  const owner = { id: unknownId<'owner'>(), email: REMOTE, verifiedAt: null, createdAt: now };
  const { id: ownerId } = await owners.ensureOwner(tx, owner);
  await owners.addWorkspaceOwner(tx, small.workspaceId, ownerId, now);
  const times = { createdAt: now, lastUsedAt: now, expiresAt: now + 1 };
  await sessions.insertOwnerSession(tx, { hash: HASH, ownerId, browser: 'a browser', ...times });
  await subscriptions.putPushSubscription(tx, {
    sessionHash: HASH,
    ownerId,
    endpoint: 'https://push.test/1',
    publicKey: HASH,
    auth: HASH,
    tellsHeld: true,
    tellsNeeds: true,
    createdAt: now,
  });
};

const messageOf = ({ small, now }: CallContext): messages.PushMessage => ({
  sessionHash: HASH,
  tag: 'held',
  workspaceId: small.workspaceId,
  data: { kind: 'held' },
  changedAt: now,
  dueAt: now,
  attempts: 0,
  sentAt: null,
});

export const pushSubscriptionCalls: CallsOf<typeof subscriptions> = {
  findPushSubscription: ({ db }) => subscriptions.findPushSubscription(db, HASH),
  putPushSubscription: subscribe,
  deletePushSubscription: async ({ tx }) => [
    await subscriptions.deletePushSubscription(tx, HASH, 'https://push.test/1'),
    await subscriptions.deletePushSubscription(tx, HASH),
  ],
  listSubscriptionsOf: ({ db, now }) => subscriptions.listSubscriptionsOf(db, unknownId(), now),
  listUnusedSubscriptions: ({ db, now }) => subscriptions.listUnusedSubscriptions(db, now),
  listSubscribed: ({ db, small, now }) => subscriptions.listSubscribed(db, small.workspaceId, 'tells_held', now),
  listWatchedWorkspaces: ({ db, now }) => subscriptions.listWatchedWorkspaces(db, now),
};

export const pushMessageCalls: CallsOf<typeof messages> = {
  findPushMessage: ({ db }) => messages.findPushMessage(db, HASH, 'held'),
  putPushMessage: async (context) => {
    await subscribe(context);
    await messages.putPushMessage(context.tx, messageOf(context));
  },
  listDuePushMessages: ({ db, now }) => messages.listDuePushMessages(db, now, 1),
  findNextPushDue: ({ db }) => messages.findNextPushDue(db),
  recordPushAttempt: (context) =>
    messages.recordPushAttempt(context.tx, messageOf(context), { attempts: 1, dueAt: null, sentAt: null }),
  mayTell: ({ db, small, now }) => messages.mayTell(db, { sessionHash: HASH, workspaceId: small.workspaceId }, now),
};

export const toldNeedCalls: CallsOf<typeof needs> = {
  listToldNeeds: ({ db, small }) => needs.listToldNeeds(db, small.workspaceId),
  putToldNeed: ({ tx, small, now }) => needs.putToldNeed(tx, small.workspaceId, 'paused', now),
};

export const toldSettingsCalls: CallsOf<typeof settings> = {
  findToldSettings: ({ db }) => settings.findToldSettings(db, unknownId()),
  putToldSettings: async (context) => {
    await subscribe(context);
    const chosen = await settings.findToldSettings(context.tx.db, unknownId());
    await settings.putToldSettings(context.tx, chosen);
  },
  deleteToldSettings: ({ tx }) => settings.deleteToldSettings(tx, unknownId()),
  listDueDigests: ({ db, now }) => settings.listDueDigests(db, now, 1),
  listNoticeAddresses: async (context) => {
    await subscribe(context);
    const { db, small } = context;
    const workspace = await findWorkspaceById(db, small.workspaceId);
    return workspace && settings.listNoticeAddresses(db, workspace, 'mailsHeld', 'box.test');
  },
};
