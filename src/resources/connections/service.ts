import { isWithinReach } from '../../access/reach.ts';
import { viewOf } from '../../access/view-of.ts';
import { OFFLINE_ACCESS } from '../../kernel/caller.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import { cancelOrphaned } from '../../outbound/scheduled/cancel-orphaned.ts';
import { findAgentById } from '../../store/accounts/agents.ts';
import {
  findGrant,
  listAgentsOfOwner,
  listGrantsOf,
  type OauthGrant,
  type OwnedAgent,
  reachedOf,
} from '../../store/oauth/oauth-grants.ts';
import { endGrant } from '../../store/oauth/revoke-grants.ts';
import { listWorkspaceOwners } from '../../store/owners/owners.ts';
import type { ScheduledSend } from '../../store/sending/scheduled-sends.ts';
import type { Needs } from '../needs.ts';
import { connectionShape, type connectionsContract } from './contract.ts';
import { findReachedWorkspaces } from './reached-agents.ts';
import { toRevokedDetail, viewEndedScheduled, viewEndedWebhooks } from './view.ts';

const viewConnection = viewOf(
  connectionShape,
  ({ scopes, isOffline, agents }: OauthGrant, owner: string, reached: readonly OwnedAgent[]) => ({
    owner,
    scopes: [...scopes, ...(isOffline ? [OFFLINE_ACCESS] : [])],
    offline: isOffline,
    agents: agents === null ? null : reached.map(({ handle }) => handle),
  }),
);

export const createConnections = ({
  store,
  clock,
  events,
}: Needs<'store' | 'clock' | 'events'>): Handlers<typeof connectionsContract> => ({
  list: async ({ workspaceId: reach = null }) => {
    const now = clock.now();
    const owners = new Map((await listWorkspaceOwners(store.read, reach)).map((owner) => [owner.id, owner]));
    const connections = [];
    for (const { id, email } of owners.values()) {
      const owned = await listAgentsOfOwner(store.read, id);
      for (const grant of await listGrantsOf(store.read, id, now)) {
        const reached = reachedOf(grant, owned).filter(({ workspaceId }) => reach === null || workspaceId === reach);
        // A grant for all agents includes later ones.
        if (grant.agents === null || reach === null || reached.length > 0) {
          connections.push(viewConnection(grant, email, reached));
        }
      }
    }
    return { connections: connections.sort((a, b) => b.created_at.localeCompare(a.created_at)) };
  },

  revoke: async (caller, { connection_id: id }, { record }) =>
    store.write(async (tx) => {
      const grant = await findGrant(tx.db, id, clock.now());
      const workspaces = grant ? await findReachedWorkspaces(tx.db, grant) : [];
      const isReached = caller.kind === 'operator' || workspaces.some((each) => isWithinReach(caller, each));
      if (!grant || !isReached) throw new ApiError('connection_not_found', { fields: { connection_id: id } });
      const webhooks = (await endGrant(tx, id)) ?? [];
      const scheduled = await cancelOrphaned(events, tx, { by: id }, clock.now());
      const act = { subject: grant.clientName, detail: toRevokedDetail(grant, { webhooks, scheduled }) };
      const isShown = async ({ agentId }: ScheduledSend) =>
        isWithinReach(caller, (await findAgentById(tx.db, agentId))?.workspaceId ?? null);
      const shown = [];
      for (const send of scheduled) if (await isShown(send)) shown.push(send);
      const answer = {
        id,
        revoked: true as const,
        webhooks: viewEndedWebhooks(webhooks.filter((each) => isWithinReach(caller, each.workspaceId))),
        scheduled: viewEndedScheduled(shown),
      };
      const [first = null, ...others] = workspaces;
      for (const workspaceId of others) await record(tx, { ...act, workspaceId }, answer);
      return record(tx, { ...act, workspaceId: first }, answer);
    }),
});
