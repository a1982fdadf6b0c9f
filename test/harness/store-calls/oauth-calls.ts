import * as clients from '../../../src/store/oauth/oauth-clients.ts';
import * as grants from '../../../src/store/oauth/oauth-grants.ts';
import * as records from '../../../src/store/oauth/oauth-records.ts';
import * as owners from '../../../src/store/owners/owners.ts';
import { type CallContext, type CallsOf, REMOTE, unknownId } from './call.ts';

const HASH = Buffer.alloc(32);

const insertGrant = async ({ tx, now }: CallContext): Promise<void> => {
  const owner = { id: unknownId<'owner'>(), email: REMOTE, verifiedAt: null, createdAt: now };
  const { id: ownerId } = await owners.ensureOwner(tx, owner);
  await grants.insertGrant(tx, {
    ...{ id: unknownId<'grant'>(), ownerId, clientId: 'client', clientName: 'Client', redirectHost: 'client.test' },
    ...{ scopes: ['mail:read'], isOffline: true, agents: null },
    ...{ createdAt: now, lastUsedAt: null, expiresAt: now + 1 },
  });
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
  purgeOauthClients: ({ tx, now }) => clients.purgeOauthClients(tx, now),
};

export const oauthGrantCalls: CallsOf<typeof grants> = {
  insertGrant,
  findGrant: ({ db, now }) => grants.findGrant(db, unknownId(), now),
  listGrantsOf: ({ db, now }) => grants.listGrantsOf(db, unknownId(), now),
  listLiveGrants: ({ db, now }) => grants.listLiveGrants(db, [unknownId()], now),
  extendGrant: ({ tx, now }) => grants.extendGrant(tx, unknownId(), now),
  touchGrant: ({ tx, now }) => grants.touchGrant(tx, unknownId(), now),
  deleteGrant: ({ tx }) => grants.deleteGrant(tx, unknownId()),
  deleteGrantsWithoutWorkspace: async (context) => {
    await insertGrant(context);
    await grants.deleteGrantsWithoutWorkspace(context.tx);
  },
  purgeGrants: ({ tx, now }) => grants.purgeGrants(tx, now),
  listAgentsOfOwner: ({ db }) => grants.listAgentsOfOwner(db, unknownId()),
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
  purgeOauthRecords: ({ tx, now }) => records.purgeOauthRecords(tx, now),
};
