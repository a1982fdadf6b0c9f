import { reachAgent, reachRenamedAgent, requireWorkspace } from '../../access/reach.ts';
import { viewOf } from '../../access/view-of.ts';
import { parseDomain } from '../../kernel/address.ts';
import type { PersonCaller } from '../../kernel/caller.ts';
import { isoTime } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers, Recorded, RecordingCall } from '../../kernel/handlers.ts';
import { cancelOrphaned } from '../../outbound/scheduled/cancel-orphaned.ts';
import {
  type Agent,
  countAgents,
  findAgentById,
  listAgents,
  listFormerAddresses,
  removeAgent,
  setMailboxStatus,
  updateAgent,
} from '../../store/accounts/agents.ts';
import { type ListedDomain, listDomains } from '../../store/accounts/domains.ts';
import { findWorkspaceById, listWorkspaces, type Workspace } from '../../store/accounts/workspaces.ts';
import { deleteWebhook, listWebhooksOfAgent } from '../../store/events/webhooks.ts';
import { narrowGrantsIn } from '../../store/oauth/revoke-grants.ts';
import { deleteDraftsOfAgent } from '../../store/owners/mail-drafts.ts';
import type { Db } from '../../store/store.ts';
import { followAgentState } from '../../webhooks/withhold.ts';
import { toEndedDetail, viewEnded, viewEndedWebhooks } from '../connections/view.ts';
import type { Needs } from '../needs.ts';
import { type AgentNeeds, addAgent } from './add-agent.ts';
import { type AgentStateView, agentShape, agentStateShape, type agentsContract } from './contract.ts';
import { addKey } from './keys/add-key.ts';
import { requireMailboxRoom } from './mailbox-allowance.ts';
import { type CleanupNeeds, endSending } from './removed-agents.ts';

const viewAgent = viewOf(agentShape, (_agent: Agent, workspace: Workspace | null) => ({
  workspace: workspace?.slug ?? null,
}));

const viewAgentState = viewOf(agentStateShape);

/** The name of an agent's first key. */
const FIRST_KEY = 'default';

type AgentsNeeds = AgentNeeds & CleanupNeeds & Needs<'plans'>;

export const createAgents = (needs: AgentsNeeds): Handlers<typeof agentsContract> => {
  const { store, clock, plans, events } = needs;

  const change = async (
    caller: PersonCaller,
    name: string,
    { record, unchanged }: RecordingCall,
    wanted: Partial<Pick<Agent, 'hold' | 'guard' | 'displayName'>> | Pick<Agent, 'status'>,
  ): Promise<Recorded<AgentStateView>> => {
    return store.write(async (tx) => {
      const agent = await reachAgent(tx.db, caller, name);
      const isSo = Object.entries(wanted).every(([field, value]) => agent[field as keyof Agent] === value);
      if (isSo) return unchanged(viewAgentState(agent));
      const isStatus = 'status' in wanted;
      if (isStatus) await setMailboxStatus(tx, agent.mailboxId, wanted.status);
      else await updateAgent(tx, agent.id, wanted);
      const changed = (await findAgentById(tx.db, agent.id)) ?? agent;
      await followAgentState(tx, changed);
      const { workspaceId, handle } = changed;
      const detail = 'hold' in wanted || 'guard' in wanted ? wanted : {};
      return record(tx, { workspaceId, subject: handle, detail }, viewAgentState(changed));
    });
  };

  return {
    add: (caller, { handle, domain: domainName, display_name: displayName, hold }, { record }) =>
      store.write(async (tx) => {
        const workspace = await requireWorkspace(tx.db, caller);
        const domain = await chooseDomain(tx.db, workspace, domainName);
        if (caller.kind === 'owner') await requireMailboxRoom(tx.db, plans, workspace.id);
        // The first agent shares its workspace with no other agent.
        const reach = (await countAgents(tx.db, workspace.id)) === 0 ? 'workspace' : 'own';
        const wanted = { workspace, domain, handle, displayName, description: null, hold };
        const { id, address } = await addAgent(needs, tx, wanted);
        const first = await addKey(needs, tx, { agentId: id, name: FIRST_KEY, scopes: null, reach, expiresAt: null });
        const act = { workspaceId: workspace.id, subject: handle, detail: { address, hold, key_id: first.id } };
        return record(tx, act, { id, handle, address, api_key: first.key });
      }),

    list: async ({ workspaceId = null }) => {
      const workspaces = new Map((await listWorkspaces(store.read)).map((each) => [each.id, each]));
      const agents = (await listAgents(store.read, workspaceId)).flatMap((agent) => {
        // The instance's own senders are in workspaces that no list shows.
        const home = workspaces.get(agent.workspaceId);
        return home ? [viewAgent(agent, home)] : [];
      });
      return { agents };
    },

    get: async (caller, { agent: name }) => {
      const agent = await reachRenamedAgent(store.read, caller, name);
      const former = await listFormerAddresses(store.read, agent.mailboxId);
      return {
        ...viewAgent(agent, await findWorkspaceById(store.read, agent.workspaceId)),
        former_addresses: former.map(({ address, retiresAt }) => ({ address, receives_until: isoTime(retiresAt) })),
      };
    },

    rename: (caller, { agent, display_name: displayName }, call) => change(caller, agent, call, { displayName }),
    hold: (caller, { agent, hold }, call) => change(caller, agent, call, { hold }),
    guard: (caller, { agent, guard }, call) => change(caller, agent, call, { guard }),
    suspend: (caller, { agent }, call) => change(caller, agent, call, { status: 'suspended' }),
    resume: (caller, { agent }, call) => change(caller, agent, call, { status: 'active' }),

    remove: async (caller, { agent: name }, { record }) => {
      const { recorded, mailboxId } = await store.write(async (tx) => {
        const { id, handle, workspaceId, address, mailboxId } = await reachAgent(tx.db, caller, name);
        await removeAgent(tx, id, clock.now());
        await deleteDraftsOfAgent(tx, id);
        const narrowed = await narrowGrantsIn(tx, workspaceId, clock.now());
        const ended = { ...narrowed, scheduled: await cancelOrphaned(events, tx, { workspaceId }, clock.now()) };
        const act = { workspaceId, subject: handle, detail: { address, agent_id: id, ...toEndedDetail(ended) } };
        const made = await listWebhooksOfAgent(tx.db, id);
        // Their waiting deliveries are purged with the events.
        for (const each of made) await deleteWebhook(tx, each.id);
        const webhooks = viewEndedWebhooks(made);
        const answer = { id, handle, removed: true as const, webhooks, ended: viewEnded(ended) };
        return { recorded: await record(tx, act, answer), mailboxId };
      });
      await endSending(needs, mailboxId, clock.now());
      return recorded;
    },
  };
};

/** The domain that an agent's address is on: the one named, else the workspace's subdomain. */
const chooseDomain = async (db: Db, { id, name }: Workspace, wanted: string | undefined): Promise<ListedDomain> => {
  const domains = await listDomains(db, id);
  const parsed = wanted === undefined ? null : parseDomain(wanted);
  const domain = domains.find((each) => (wanted === undefined ? each.kind === 'subdomain' : each.name === parsed));
  if (domain) return domain;
  throw new ApiError('domain_not_found', {
    fields: { domain: wanted, workspace: name, domains: domains.map((each) => each.name) },
  });
};
