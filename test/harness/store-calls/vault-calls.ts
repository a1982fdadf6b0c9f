import * as leakIndexes from '../../../src/store/vault/leak-indexes.ts';
import * as grants from '../../../src/store/vault/secret-grants.ts';
import * as secrets from '../../../src/store/vault/secrets.ts';
import * as vaultKeys from '../../../src/store/vault/vault-keys.ts';
import { type CallContext, type CallsOf, unknownId } from './call.ts';

const secret = ({ small, now }: CallContext): secrets.StoredSecret => ({
  id: unknownId(),
  workspaceId: small.workspaceId,
  name: 'Stripe',
  nameKey: 'stripe',
  type: 'api_key',
  tags: [],
  hasTotp: false,
  version: 1,
  sealed: Buffer.alloc(1),
  createdAt: now,
  updatedAt: now,
});
const VERSION = { version: 1, mac: Buffer.alloc(32) };

export const secretCalls: CallsOf<typeof secrets> = {
  toNameKey: null,
  insertSecret: (context) => secrets.insertSecret(context.tx, secret(context), VERSION),
  updateSecret: (context) => secrets.updateSecret(context.tx, secret(context), VERSION),
  deleteSecret: ({ tx }) => secrets.deleteSecret(tx, unknownId()),
  findGrantedSecret: ({ db, small }) => secrets.findGrantedSecret(db, small.workspaceId, small.agentId, unknownId()),
  listGrantedSecrets: ({ db, small }) => secrets.listGrantedSecrets(db, small.workspaceId, small.agentId),
  listSecrets: async ({ db, small }) => [
    await secrets.listSecrets(db, null),
    await secrets.listSecrets(db, small.workspaceId),
  ],
  findSecrets: async ({ db, small }) => [
    await secrets.findSecrets(db, null, unknownId()),
    await secrets.findSecrets(db, small.workspaceId, 'Stripe'),
  ],
  findSecretByName: ({ db, small }) => secrets.findSecretByName(db, small.workspaceId, 'Stripe'),
  listSecretNames: ({ db }) => secrets.listSecretNames(db, [unknownId(), unknownId()]),
  findVersionedSecret: ({ db }) => secrets.findVersionedSecret(db, unknownId()),
  countSecrets: ({ db, small }) => secrets.countSecrets(db, small.workspaceId),
};

export const secretGrantCalls: CallsOf<typeof grants> = {
  insertGrant: ({ tx, small, now }) => grants.insertGrant(tx, small.agentId, unknownId(), now),
  isGrantedWithSeed: ({ db, small }) => grants.isGrantedWithSeed(db, small.agentId, unknownId()),
  deleteGrant: ({ tx, small }) => grants.deleteGrant(tx, small.agentId, unknownId()),
  countGranted: ({ db, small }) => grants.countGranted(db, small.agentId, [unknownId()]),
  listGrants: async ({ db, small }) => [
    await grants.listGrants(db, null),
    await grants.listGrants(db, small.workspaceId),
  ],
};

export const leakIndexCalls: CallsOf<typeof leakIndexes> = {
  listIndexedWorkspaces: ({ db }) => leakIndexes.listIndexedWorkspaces(db),
  findLeakState: ({ db, small }) => leakIndexes.findLeakState(db, small.workspaceId),
  findLeakIndex: ({ db, small }) => leakIndexes.findLeakIndex(db, small.workspaceId),
  putLeakIndex: ({ tx, small }) =>
    leakIndexes.putLeakIndex(tx, { workspaceId: small.workspaceId, generation: 1, sealed: Buffer.alloc(1) }),
};

const wrapped = { name: 'instance', masterId: Buffer.alloc(8), wrapped: Buffer.alloc(1) };

export const vaultKeyCalls: CallsOf<typeof vaultKeys> = {
  findWrappedKey: ({ db }) => vaultKeys.findWrappedKey(db, 'instance'),
  insertWrappedKeyOnce: ({ tx, now }) => vaultKeys.insertWrappedKeyOnce(tx, { ...wrapped, createdAt: now }),
  listWrappedKeys: ({ db }) => vaultKeys.listWrappedKeys(db),
  updateWrappedKey: ({ tx }) => vaultKeys.updateWrappedKey(tx, wrapped),
};
