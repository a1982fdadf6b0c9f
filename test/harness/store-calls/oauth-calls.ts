import type { OwnerId } from '../../../src/kernel/ids.ts';
import * as clients from '../../../src/store/oauth/oauth-clients.ts';
import * as grants from '../../../src/store/oauth/oauth-grants.ts';
import * as records from '../../../src/store/oauth/oauth-records.ts';
import * as revocations from '../../../src/store/oauth/revoke-grants.ts';
import * as owners from '../../../src/store/owners/owners.ts';
import { type CallContext, type CallsOf, REMOTE, unknownId } from './call.ts';

const HASH = Buffer.alloc(32);

const newGrant = (ownerId: OwnerId, now: number): grants.OauthGrant => ({
  ...{ id: unknownId<'grant'>(), ownerId, clientId: 'client', clientName: 'Client', redirectHost: 'client.test' },
  ...{ scopes: ['mail:read'], reach: 'own', isOffline: true, agents: null },
  ...{ createdAt: now, lastUsedAt: null, expiresAt: now + 1 },
});

const insertGrant = async ({ tx, now }: CallContext): Promise<OwnerId> => {
  const owner = { id: unknownId<'owner'>(), email: REMOTE, verifiedAt: null, createdAt: now };
  const { id: ownerId } = await owners.ensureOwner(tx, owner);
  await grants.insertGrant(tx, newGrant(ownerId, now));
  return ownerId;
};

export const oauthClientCalls: CallsOf<typeof clients> = {
  insertOauthClient: ({ tx, now }) =>
    clients.insertOauthClient(tx, { id: 'client', metadata: {}, createdAt: now, lastUsedAt: now }),
  findOauthClient: ({ db }) => clients.findOauthClient(db, 'client'),
  touchOauthClient: ({ tx, now }) => clients.touchOauthClient(tx, 'client', now),
  countOauthClients: ({ db }) => clients.countOauthClients(db),
  deleteIdlestOauthClient: async ({ tx, now }) => {
    await clients.insertOauthClient(tx, { id: 'client', metadata: {}, createdAt: now, lastUsedAt: now });
    await clients.deleteIdlestOauthClient(tx);
  },
};

export const oauthGrantCalls: CallsOf<typeof grants> = {
  insertGrant: async (context) => {
    await insertGrant(context);
  },
  findGrant: ({ db, now }) => grants.findGrant(db, unknownId(), now),
  listGrantsOf: ({ db, now }) => grants.listGrantsOf(db, unknownId(), now),
  listLiveUses: ({ db, now }) => grants.listLiveUses(db, [{ grantId: unknownId(), agentId: unknownId() }], now),
  extendGrant: ({ tx, now }) => grants.extendGrant(tx, unknownId(), now),
  touchGrant: ({ tx, now }) => grants.touchGrant(tx, unknownId(), now),
  setGrantAgents: ({ tx }) => grants.setGrantAgents(tx, unknownId(), [unknownId()]),
  deleteGrantRow: ({ tx }) => grants.deleteGrantRow(tx, unknownId()),
  listExpiredGrants: ({ db, now }) => grants.listExpiredGrants(db, now, 20),
  listAgentsOfOwner: ({ db }) => grants.listAgentsOfOwner(db, unknownId()),
  reachedOf: null,
  listReachedAgents: ({ db, now }) => grants.listReachedAgents(db, newGrant(unknownId(), now)),
};

export const grantRevocationCalls: CallsOf<typeof revocations> = {
  endGrant: ({ tx }) => revocations.endGrant(tx, unknownId()),
  narrowGrantsOf: async (context) => revocations.narrowGrantsOf(context.tx, await insertGrant(context), 0),
  narrowGrantsIn: ({ tx, small, now }) => revocations.narrowGrantsIn(tx, small.workspaceId, now),
};

const KIND = 'AccessToken';

export const oauthRecordCalls: CallsOf<typeof records> = {
  hashOauthValue: null,
  upsertOauthRecord: ({ tx, now }) =>
    records.upsertOauthRecord(tx, { kind: KIND, hash: HASH, grantId: null, payload: {}, expiresAt: now }),
  findOauthRecord: ({ db, now }) => records.findOauthRecord(db, KIND, HASH, now),
  consumeOauthRecord: ({ tx, now }) => records.consumeOauthRecord(tx, KIND, HASH, now),
  deleteOauthRecord: ({ tx }) => records.deleteOauthRecord(tx, KIND, HASH),
  deleteOauthRecordsOf: async ({ tx }) => {
    await records.deleteOauthRecordsOf(tx, unknownId(), null);
    await records.deleteOauthRecordsOf(tx, unknownId(), KIND);
  },
};
