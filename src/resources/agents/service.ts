/** The agents resource. */

import { reachAgent, reachOfList, reachWorkspace } from '../../access/reach.ts';
import { parseDomain } from '../../kernel/address.ts';
import type { PersonCaller } from '../../kernel/caller.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/operation.ts';
import {
  type Agent,
  findAgentById,
  listAgents,
  removeAgent,
  setMailboxStatus,
  updateAgent,
} from '../../store/accounts/agents.ts';
import { type Domain, listDomains } from '../../store/accounts/domains.ts';
import { findWorkspaceById, listWorkspaces, type Workspace } from '../../store/accounts/workspaces.ts';
import type { Db, Tx } from '../../store/store.ts';
import { type AgentNeeds, addAgent } from './add-agent.ts';
import type { AgentStateView, agentsContract } from './contract.ts';
import { addKey } from './keys/add-key.ts';
import { viewAgent, viewAgentState } from './view.ts';

/** The name of the key that an agent begins with. */
const FIRST_KEY = 'default';

export const createAgents = (needs: AgentNeeds): Handlers<typeof agentsContract> => {
  const { store, clock } = needs;

  const change = async (
    caller: PersonCaller,
    name: string,
    work: (tx: Tx, agent: Agent) => Promise<void>,
  ): Promise<AgentStateView> => {
    const agent = await reachAgent(store.read, caller, name);
    await store.write((tx) => work(tx, agent));
    return viewAgentState((await findAgentById(store.read, agent.id)) ?? agent);
  };

  return {
    add: async (caller, { handle, workspace: name, domain: domainName, display_name: displayName, hold }) => {
      const workspace = await reachWorkspace(store.read, caller, name);
      const domain = await chooseDomain(store.read, workspace, domainName);
      const agent = await addAgent(needs, { workspace, domain, handle, displayName, description: null, hold });
      const { key } = await addKey(needs, { agentId: agent.id, name: FIRST_KEY, scopes: null, expiresAt: null });
      return { id: agent.id, handle, address: agent.address, api_key: key };
    },

    list: async (caller, { workspace }) => {
      const reach = await reachOfList(store.read, caller, workspace);
      const workspaces = new Map((await listWorkspaces(store.read)).map((each) => [each.id, each]));
      const agents = (await listAgents(store.read, reach)).flatMap((agent) => {
        // The instance's own senders are in workspaces that no list shows.
        const home = workspaces.get(agent.workspaceId);
        return home ? [viewAgent(agent, home)] : [];
      });
      return { agents };
    },

    get: async (caller, { agent: name }) => {
      const agent = await reachAgent(store.read, caller, name);
      return viewAgent(agent, await findWorkspaceById(store.read, agent.workspaceId));
    },

    hold: (caller, { agent, hold }) => change(caller, agent, (tx, { id }) => updateAgent(tx, id, { hold })),
    guard: (caller, { agent, guard }) => change(caller, agent, (tx, { id }) => updateAgent(tx, id, { guard })),
    suspend: (caller, { agent }) =>
      change(caller, agent, (tx, { mailboxId }) => setMailboxStatus(tx, mailboxId, 'suspended')),
    resume: (caller, { agent }) =>
      change(caller, agent, (tx, { mailboxId }) => setMailboxStatus(tx, mailboxId, 'active')),

    remove: async (caller, { agent: name }) => {
      const { id, handle } = await reachAgent(store.read, caller, name);
      await store.write((tx) => removeAgent(tx, id, clock.now()));
      return { id, handle, removed: true };
    },
  };
};

/** The domain that an agent's address is on: the one named, else the workspace's subdomain. */
const chooseDomain = async (db: Db, { id, name }: Workspace, wanted: string | undefined): Promise<Domain> => {
  const domains = await listDomains(db, id);
  const parsed = wanted === undefined ? null : parseDomain(wanted);
  const domain = domains.find((each) => (wanted === undefined ? each.kind === 'subdomain' : each.name === parsed));
  if (domain) return domain;
  throw new ApiError('domain_not_found', {
    fields: { domain: wanted, workspace: name, domains: domains.map((each) => each.name) },
  });
};
