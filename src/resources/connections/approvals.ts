/** An owner's consent to a client: an act of a person at a page of the authorization server, which calls it, not dispatch. */

import type { ActivityLog } from '../../activity/activity-log.ts';
import type { Scope } from '../../kernel/caller.ts';
import { type Clock, MINUTE } from '../../kernel/clock.ts';
import type { AgentId, GrantId, NewId, OwnerId } from '../../kernel/ids.ts';
import {
  deleteGrant,
  findGrant,
  insertGrant,
  listAgentsOfOwner,
  type OwnedAgent,
} from '../../store/oauth/oauth-grants.ts';
import { listWorkspacesOf, type Owner } from '../../store/owners/owners.ts';
import type { Store } from '../../store/store.ts';
import { findReachedWorkspaces } from './reached-agents.ts';

export interface Approval {
  owner: Pick<Owner, 'id' | 'email'>;
  clientId: string;
  clientName: string;
  redirectHost: string;
  scopes: readonly Scope[];
  isOffline: boolean;
  /** Null: every agent that the owner has or will have. */
  agents: readonly AgentId[] | null;
}

export interface Approvals {
  /** The agents that the owner may choose from, by handle. */
  listAgents(ownerId: OwnerId): Promise<OwnedAgent[]>;
  /** Writes the grant, and the act to the activity log of each workspace that it reaches. */
  approve(approval: Approval): Promise<GrantId>;
  /** Ends a grant that its client gave up or misused, with the act in the same logs. */
  end(id: GrantId): Promise<void>;
}

export interface ApprovalsNeeds {
  store: Store;
  clock: Clock;
  newId: NewId;
  activity: Pick<ActivityLog, 'record' | 'recordOwn'>;
}

/** For the redirect, the code's minute and its exchange; tokens extend it. */
const FIRST_LIFE_MS = 10 * MINUTE;

export const createApprovals = ({ store, clock, newId, activity }: ApprovalsNeeds): Approvals => ({
  listAgents: (ownerId) => listAgentsOfOwner(store.read, ownerId),

  approve: ({ owner, ...granted }) =>
    store.write(async (tx) => {
      const id = newId<'grant'>();
      const now = clock.now();
      const times = { createdAt: now, lastUsedAt: null, expiresAt: now + FIRST_LIFE_MS };
      await insertGrant(tx, { id, ownerId: owner.id, ...granted, ...times });
      const { agents } = granted;
      const owned = await listAgentsOfOwner(tx.db, owner.id);
      for (const { id: workspaceId } of await listWorkspacesOf(tx.db, owner.id)) {
        const reached = owned.filter((agent) => agent.workspaceId === workspaceId && agents?.includes(agent.id));
        if (agents !== null && reached.length === 0) continue;
        const detail = {
          client_id: granted.clientId,
          redirect: granted.redirectHost,
          scopes: granted.scopes,
          agents: agents === null ? null : reached.map(({ handle }) => handle),
          offline: granted.isOffline,
        };
        const about = { actor: owner.email, action: 'connection.approve', subject: granted.clientName } as const;
        await activity.record(tx, { ...about, workspaceId, via: 'console', detail });
      }
      return id;
    }),

  end: (id) =>
    store.write(async (tx) => {
      const grant = await findGrant(tx.db, id, clock.now());
      if (!grant || !(await deleteGrant(tx, id))) return;
      for (const workspaceId of await findReachedWorkspaces(tx.db, grant)) {
        const detail = { connection: id, client_id: grant.clientId };
        await activity.recordOwn(tx, 'connection.end', { workspaceId, subject: grant.clientName, detail });
      }
    }),
});
