/** Sessions of owners: a secret in a cookie, stored as a hash; 14 days without use end a session. */

import { createHash } from 'node:crypto';
import type { OwnerCaller, SessionCaller } from '../kernel/caller.ts';
import { type Clock, DAY, HOUR, type Millis } from '../kernel/clock.ts';
import type { OwnerId, WorkspaceId } from '../kernel/ids.ts';
import { hashSecretToken, newSecret } from '../seal/secret-token.ts';
import type { Workspace } from '../store/accounts/workspaces.ts';
import {
  deleteOwnerSession,
  deleteSessionsOf,
  findOwnerSession,
  insertOwnerSession,
  listSessionsOf,
  touchOwnerSession,
  trimSessionsOf,
} from '../store/owners/owner-sessions.ts';
import { findOwnerById, listWorkspacesOf, type Owner } from '../store/owners/owners.ts';
import type { Store, Tx } from '../store/store.ts';

export const SESSION_IDLE_MS = 14 * DAY;
/** A session's end is moved at most this often, so that a request costs no write. */
const TOUCH_EVERY_MS = HOUR;
/** Sessions of one owner; at the bound the one that was not used for longest ends. */
const MAX_SESSIONS = 20;

export interface OwnerSession {
  owner: Owner;
  /** The owner's current workspaces; a removed one is out of reach at once. */
  workspaces: Workspace[];
  /** The caller of operations on its own sessions and passkeys. */
  self: SessionCaller;
  /** The owner as caller in one of its workspaces; null in any other. */
  callerIn(workspaceId: WorkspaceId): OwnerCaller | null;
}

/** A session as shown to its owner; the id does not authenticate. */
export interface ListedSession {
  id: string;
  isOwn: boolean;
  /** As the browser named itself at the sign-in (kernel/text/browser-name.ts). */
  browser: string;
  createdAt: Millis;
  lastUsedAt: Millis;
}

const publicId = (hash: Uint8Array): string => createHash('sha256').update(hash).digest('base64url').slice(0, 16);

export interface OwnerSessions {
  /** The owner's sessions, the last used first. @param secret of the calling session */
  list(ownerId: OwnerId, secret: string): Promise<ListedSession[]>;
  /** @returns false where the owner has no session of that id */
  endById(tx: Tx, ownerId: OwnerId, id: string): Promise<boolean>;
  /** @param browser its name @returns the cookie's secret */
  begin(tx: Tx, ownerId: OwnerId, browser: string): Promise<string>;
  /** Null where the secret is of no session, or of one that has ended. */
  find(secret: string): Promise<OwnerSession | null>;
  /** @returns false where there was none */
  end(tx: Tx, secret: string): Promise<boolean>;
  /** Signs the owner out everywhere. @returns the number of sessions that ended */
  endAll(tx: Tx, ownerId: OwnerId): Promise<number>;
}

export const createOwnerSessions = (store: Store, clock: Clock): OwnerSessions => ({
  begin: async (tx, ownerId, browser) => {
    const { token, hash } = newSecret();
    const now = clock.now();
    await trimSessionsOf(tx, ownerId, MAX_SESSIONS - 1);
    await insertOwnerSession(tx, {
      hash,
      ownerId,
      browser,
      createdAt: now,
      lastUsedAt: now,
      expiresAt: now + SESSION_IDLE_MS,
    });
    return token;
  },

  find: async (secret) => {
    const hash = hashSecretToken(secret);
    if (!hash) return null;
    const now = clock.now();
    const session = await findOwnerSession(store.read, hash, now);
    const owner = session && (await findOwnerById(store.read, session.ownerId));
    if (!session || !owner) return null;
    if (now - session.lastUsedAt > TOUCH_EVERY_MS) {
      // Not awaited: a full disk must not refuse reads.
      store.write((tx) => touchOwnerSession(tx, hash, now, now + SESSION_IDLE_MS)).catch(() => undefined);
    }
    const workspaces = await listWorkspacesOf(store.read, owner.id);
    return {
      owner,
      workspaces,
      self: { kind: 'session', ownerId: owner.id, email: owner.email, secret },
      callerIn: (workspaceId) =>
        workspaces.some(({ id }) => id === workspaceId)
          ? { kind: 'owner', workspaceId, name: `owner:${owner.email}` }
          : null,
    };
  },

  list: async (ownerId, secret) => {
    const own = hashSecretToken(secret);
    const sessions = await listSessionsOf(store.read, ownerId, clock.now());
    return sessions.map(({ hash, browser, createdAt, lastUsedAt }) => ({
      id: publicId(hash),
      isOwn: own !== null && Buffer.compare(hash, own) === 0,
      browser,
      createdAt,
      lastUsedAt,
    }));
  },

  endById: async (tx, ownerId, id) => {
    const found = (await listSessionsOf(tx.db, ownerId, clock.now())).find(({ hash }) => publicId(hash) === id);
    return found !== undefined && deleteOwnerSession(tx, found.hash);
  },

  end: async (tx, secret) => {
    const hash = hashSecretToken(secret);
    return hash !== null && deleteOwnerSession(tx, hash);
  },

  endAll: deleteSessionsOf,
});
