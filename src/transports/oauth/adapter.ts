/** oidc-provider's storage in this store, which holds no value that a client could present. */

import { type Adapter, errors } from 'oidc-provider';
import { type Clock, DAY, type Millis, SECOND } from '../../kernel/clock.ts';
import { type GrantId, parseId } from '../../kernel/ids.ts';
import {
  countOauthClients,
  deleteIdlestOauthClient,
  findOauthClient,
  insertOauthClient,
  touchOauthClient,
} from '../../store/oauth/oauth-clients.ts';
import { extendGrant, findGrant } from '../../store/oauth/oauth-grants.ts';
import {
  consumeOauthRecord,
  deleteOauthRecord,
  deleteOauthRecordsOf,
  findOauthRecord,
  hashOauthValue,
  upsertOauthRecord,
} from '../../store/oauth/oauth-records.ts';
import type { Store } from '../../store/store.ts';
import { resumePath } from './oauth-paths.ts';

export interface AdapterNeeds {
  store: Store;
  clock: Clock;
  /** Ends a grant, with its codes, tokens, and open connections. */
  endGrant: (id: GrantId) => Promise<void>;
  publicUrl: string;
}

/** Registered clients; beyond it the one unused for longest is deleted. */
const MAX_CLIENTS = 10_000;
/** A client's `last_used_at` is written at most this often. */
const TOUCH_EVERY_MS: Millis = DAY;

const none = async () => undefined;

/** For models that need no storage: the console has the sessions, and none is kept here. */
const nothing: Adapter = {
  upsert: none,
  find: none,
  findByUid: none,
  findByUserCode: none,
  consume: none,
  destroy: none,
  revokeByGrantId: none,
};

const readGrantId = (value: unknown): GrantId | null => (typeof value === 'string' ? parseId<'grant'>(value) : null);

/** The stored form of a client secret. */
export const hashClientSecret = (secret: string): string => hashOauthValue(secret).toString('hex');

const createRecords = ({ store, clock, endGrant, publicUrl }: AdapterNeeds, kind: string): Adapter => ({
  ...nothing,
  // Leaves out the request's own value: a copy of the file could continue an approved request. A read adds it again.
  upsert: async (value, { jti: _jti, returnTo: _returnTo, ...payload }, expiresIn = 0) => {
    const expiresAt = clock.now() + expiresIn * SECOND;
    const grantId = readGrantId(payload.grantId);
    await store.write(async (tx) => {
      await upsertOauthRecord(tx, { kind, hash: hashOauthValue(value), grantId, payload, expiresAt });
      if (grantId) await extendGrant(tx, grantId, expiresAt);
    });
  },
  find: async (value) => {
    const record = await findOauthRecord(store.read, kind, hashOauthValue(value), clock.now());
    if (!record) return undefined;
    const { payload, consumedAt } = record;
    const returnTo = kind === 'Interaction' && { returnTo: `${publicUrl}${resumePath(value)}` };
    return {
      ...payload,
      ...returnTo,
      jti: value,
      ...(consumedAt !== null && { consumed: Math.floor(consumedAt / SECOND) }),
    };
  },
  consume: async (value) => {
    const hash = hashOauthValue(value);
    const now = clock.now();
    if (await store.write((tx) => consumeOauthRecord(tx, kind, hash, now))) return;
    // A concurrent second request with the same value counts as reuse.
    const grantId = (await findOauthRecord(store.read, kind, hash, now))?.grantId;
    if (grantId) await endGrant(grantId);
    throw new errors.InvalidGrant('used twice');
  },
  destroy: (value) => store.write((tx) => deleteOauthRecord(tx, kind, hashOauthValue(value))),
  revokeByGrantId: async (id) => {
    const grantId = readGrantId(id);
    if (grantId) await store.write((tx) => deleteOauthRecordsOf(tx, grantId, kind));
  },
});

const createClients = ({ store, clock }: AdapterNeeds): Adapter => ({
  ...nothing,
  upsert: async (id, { client_secret: secret, ...rest }) => {
    const metadata = typeof secret === 'string' ? { ...rest, client_secret: hashClientSecret(secret) } : rest;
    const now = clock.now();
    await store.write(async (tx) => {
      if ((await countOauthClients(tx.db)) >= MAX_CLIENTS) await deleteIdlestOauthClient(tx);
      await insertOauthClient(tx, { id, metadata, createdAt: now, lastUsedAt: now });
    });
  },
  find: async (id) => {
    const client = await findOauthClient(store.read, id);
    const now = clock.now();
    if (client && now - client.lastUsedAt > TOUCH_EVERY_MS) {
      // Not awaited: a full disk must not refuse reads.
      store.write((tx) => touchOauthClient(tx, id, now)).catch(() => undefined);
    }
    return client?.metadata;
  },
});

/** Far beyond any token's end: the store decides when a grant ends. */
const GRANT_LIFE_SECONDS = (3_650 * DAY) / SECOND;

/** The consent page writes grants; this adapter reads and ends them. */
const createGrants = ({ store, clock, endGrant }: AdapterNeeds, audience: string): Adapter => ({
  ...nothing,
  find: async (value) => {
    const id = parseId<'grant'>(value);
    const grant = id && (await findGrant(store.read, id, clock.now()));
    if (!grant) return undefined;
    const { ownerId, clientId, scopes, isOffline, createdAt } = grant;
    const iat = Math.floor(createdAt / SECOND);
    return {
      jti: id,
      kind: 'Grant',
      iat,
      exp: iat + GRANT_LIFE_SECONDS,
      accountId: ownerId,
      clientId,
      resources: { [audience]: scopes.join(' ') },
      ...(isOffline && { openid: { scope: 'offline_access' } }),
    };
  },
  destroy: async (value) => {
    const id = parseId<'grant'>(value);
    if (id) await endGrant(id);
  },
});

/** @param audience the MCP endpoint's URL */
export const createAdapters =
  (needs: AdapterNeeds, audience: string) =>
  (model: string): Adapter => {
    switch (model) {
      case 'Session':
        return nothing;
      case 'Client':
        return createClients(needs);
      case 'Grant':
        return createGrants(needs, audience);
      default:
        return createRecords(needs, model);
    }
  };
