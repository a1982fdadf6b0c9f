/** Sessions of owners: a secret in a cookie, whose hash is stored; 14 days without use end one. */

import type { OwnerCaller, SessionCaller } from '../kernel/caller.ts';
import { type Clock, DAY, HOUR } from '../kernel/clock.ts';
import type { OwnerId, WorkspaceId } from '../kernel/ids.ts';
import { hashSecretToken, newSecret } from '../seal/secret-token.ts';
import type { Workspace } from '../store/accounts/workspaces.ts';
import {
  deleteOwnerSession,
  deleteSessionsOf,
  findOwnerSession,
  insertOwnerSession,
  touchOwnerSession,
  trimSessionsOf,
} from '../store/owners/owner-sessions.ts';
import { findOwnerById, listWorkspacesOf, type Owner } from '../store/owners/owners.ts';
import type { Store, Tx } from '../store/store.ts';

export const SESSION_IDLE_MS = 14 * DAY;
/** The end of a session is moved at most this often: a request costs no write. */
const TOUCH_EVERY_MS = HOUR;
/** The oldest of an owner's sessions beyond them ends. */
const MAX_SESSIONS = 20;

export interface OwnerSession {
  owner: Owner;
  /** Those that the owner has now; one that was taken away is out of reach at once. */
  workspaces: Workspace[];
  /** As the caller of operations on its sessions and passkeys. */
  self: SessionCaller;
  /** The caller that the owner is in one of them; null in any other. */
  callerIn(workspaceId: WorkspaceId): OwnerCaller | null;
}

export interface OwnerSessions {
  /** @returns the cookie's secret */
  begin(tx: Tx, ownerId: OwnerId): Promise<string>;
  /** Null where the secret is of no session, or of one that has ended. */
  find(secret: string): Promise<OwnerSession | null>;
  /** @returns false where there was none */
  end(tx: Tx, secret: string): Promise<boolean>;
  /** Signs the owner out everywhere. @returns the number of sessions that ended */
  endAll(tx: Tx, ownerId: OwnerId): Promise<number>;
}

export const createOwnerSessions = (store: Store, clock: Clock): OwnerSessions => ({
  begin: async (tx, ownerId) => {
    const { token, hash } = newSecret();
    const now = clock.now();
    await trimSessionsOf(tx, ownerId, MAX_SESSIONS - 1);
    await insertOwnerSession(tx, {
      hash,
      ownerId,
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

  end: async (tx, secret) => {
    const hash = hashSecretToken(secret);
    return hash !== null && deleteOwnerSession(tx, hash);
  },

  endAll: deleteSessionsOf,
});
