import type { Reach, Scope } from '../../kernel/caller.ts';
import { MINUTE } from '../../kernel/clock.ts';
import type { AgentId, GrantId, OwnerId } from '../../kernel/ids.ts';
import { cancelOrphaned } from '../../outbound/scheduled/cancel-orphaned.ts';
import {
  findGrant,
  insertGrant,
  listAgentsOfOwner,
  listExpiredGrants,
  type OauthGrant,
  type OwnedAgent,
} from '../../store/oauth/oauth-grants.ts';
import { consumeOauthRecord, hashOauthValue } from '../../store/oauth/oauth-records.ts';
import { endGrant } from '../../store/oauth/revoke-grants.ts';
import { listWorkspacesOf, type Owner } from '../../store/owners/owners.ts';
import type { Tx } from '../../store/store.ts';
import type { Needs } from '../needs.ts';
import { findReachedWorkspaces } from './reached-agents.ts';
import { type Ended, toRevokedDetail } from './view.ts';

export interface Consent {
  owner: Pick<Owner, 'id' | 'email'>;
  clientId: string;
  clientName: string;
  redirectHost: string;
  scopes: readonly Scope[];
  reach: Reach;
  isOffline: boolean;
  /** Null: all present and later agents of the owner. */
  agents: readonly AgentId[] | null;
}

export interface Consents {
  /** The agents that the owner may choose from, by handle. */
  listAgents(ownerId: OwnerId): Promise<OwnedAgent[]>;
  /**
   * Writes the grant, and the act to the activity log of each reached workspace; answers the request.
   * @returns null where the request was answered before, or the owner has lost the agents meanwhile
   */
  give(requestId: string, consent: Consent): Promise<GrantId | null>;
  /** @returns false where the request was answered before */
  refuse(requestId: string): Promise<boolean>;
  /** Ends a grant that its client revoked or misused, with the act in the same logs. */
  end(id: GrantId): Promise<void>;
  /** Ends grants without a live token: with the act in the logs where other things ended with them. */
  endExpired(): Promise<void>;
}

/** Long enough for the redirect and the code's exchange; tokens extend it. */
const FIRST_LIFE_MS = 10 * MINUTE;

/** The model of oidc-provider for authorization requests. */
const REQUEST = 'Interaction';
/** Grants of one query. */
const EXPIRED_AT_ONCE = 100;

export const createConsents = ({
  store,
  clock,
  newId,
  activity,
  events,
}: Needs<'store' | 'clock' | 'newId' | 'activity' | 'events'>): Consents => {
  const recordEnd = async (tx: Tx, grant: OauthGrant, ended: Omit<Ended, 'grants'>): Promise<void> => {
    const act = { subject: grant.clientName, detail: toRevokedDetail(grant, ended) };
    for (const workspaceId of await findReachedWorkspaces(tx.db, grant)) {
      await activity.recordOwn(tx, 'connection.end', { ...act, workspaceId });
    }
  };
  /**
   * Answers a request once, even where the button is pressed twice.
   * @returns false where it was answered before
   */
  const answer = (tx: Tx, requestId: string): Promise<boolean> =>
    consumeOauthRecord(tx, REQUEST, hashOauthValue(requestId), clock.now());
  return {
    listAgents: (ownerId) => listAgentsOfOwner(store.read, ownerId),

    give: (requestId, { owner, ...wanted }) =>
      store.write(async (tx) => {
        const owned = await listAgentsOfOwner(tx.db, owner.id);
        const agents = wanted.agents?.filter((each) => owned.some(({ id }) => id === each)) ?? null;
        const workspaces = await listWorkspacesOf(tx.db, owner.id);
        if (agents?.length === 0 || workspaces.length === 0 || !(await answer(tx, requestId))) return null;
        const granted = { ...wanted, agents };
        const id = newId<'grant'>();
        const now = clock.now();
        const times = { createdAt: now, lastUsedAt: null, expiresAt: now + FIRST_LIFE_MS };
        await insertGrant(tx, { id, ownerId: owner.id, ...granted, ...times });
        for (const { id: workspaceId } of workspaces) {
          const reached = owned.filter((agent) => agent.workspaceId === workspaceId && agents?.includes(agent.id));
          if (agents !== null && reached.length === 0) continue;
          const detail = {
            client_id: granted.clientId,
            redirect: granted.redirectHost,
            scopes: granted.scopes,
            reach: granted.reach,
            agents: agents === null ? null : reached.map(({ handle }) => handle),
            offline: granted.isOffline,
          };
          const about = { actor: owner.email, action: 'connection.approve', subject: granted.clientName } as const;
          await activity.record(tx, { ...about, workspaceId, via: 'console', detail });
        }
        return id;
      }),

    refuse: (requestId) => store.write((tx) => answer(tx, requestId)),

    end: (id) =>
      store.write(async (tx) => {
        const grant = await findGrant(tx.db, id, clock.now());
        const webhooks = grant && (await endGrant(tx, id));
        const scheduled = await cancelOrphaned(events, tx, { by: id }, clock.now());
        if (webhooks) await recordEnd(tx, grant, { webhooks, scheduled });
      }),

    endExpired: async () => {
      for (;;) {
        const expired = await listExpiredGrants(store.read, clock.now(), EXPIRED_AT_ONCE);
        for (const grant of expired) {
          await store.write(async (tx) => {
            const webhooks = (await endGrant(tx, grant.id)) ?? [];
            const scheduled = await cancelOrphaned(events, tx, { by: grant.id }, clock.now());
            if (webhooks.length + scheduled.length > 0) await recordEnd(tx, grant, { webhooks, scheduled });
          });
        }
        if (expired.length < EXPIRED_AT_ONCE) return;
      }
    },
  };
};
