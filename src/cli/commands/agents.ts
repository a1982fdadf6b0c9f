/** `postroom agents` */

import type { Instance } from '../../app/instance.ts';
import { parseDomain } from '../../kernel/address.ts';
import { addAgent, addKey } from '../../resources/mailboxes/add-agent.ts';
import { type Agent, listAgents } from '../../store/accounts/agents.ts';
import { type Domain, listDomains } from '../../store/accounts/domains.ts';
import { findWorkspaceById, listWorkspaces, type Workspace } from '../../store/accounts/workspaces.ts';
import { command } from '../command.ts';
import { refused, wrongUsage } from '../failure.ts';
import { requireAgent, requireWorkspace } from '../find.ts';
import { flag, optional, required } from '../parameters.ts';
import { details, table, timeOrNull } from '../table.ts';
import { withInstance } from '../with-instance.ts';

/** The name of the key that an agent begins with. */
const FIRST_KEY = 'default';
/** Shown beside the address in every recipient's list; a line, no more. */
const MAX_DISPLAY_NAME = 200;

const parseDisplayName = (text: string): string => {
  const name = text.trim();
  if (name.length <= MAX_DISPLAY_NAME && !/\p{Cc}/u.test(name)) return name;
  throw wrongUsage(`A display name is one line of at most ${MAX_DISPLAY_NAME} characters.`);
};

/** The domain that an agent's address is on: the one named, else the workspace's subdomain. */
const chooseDomain = async ({ store }: Instance, workspace: Workspace, wanted: string | undefined): Promise<Domain> => {
  const domains = await listDomains(store.read, workspace.id);
  const name = wanted === undefined ? null : parseDomain(wanted);
  const domain = domains.find((each) => (wanted === undefined ? each.kind === 'subdomain' : each.name === name));
  if (domain) return domain;
  const names = domains.map((each) => each.name).join(', ');
  throw refused(`${wanted} is no domain of the workspace ${workspace.name}. It has: ${names}`);
};

const viewAgent = (agent: Agent, workspace: Workspace | null) => ({
  id: agent.id,
  handle: agent.handle,
  address: agent.address,
  display_name: agent.displayName,
  description: agent.description,
  status: agent.status,
  filter_mode: agent.filterMode,
  hold: agent.hold,
  guard: agent.guard,
  workspace: workspace?.slug ?? null,
  workspace_id: agent.workspaceId,
  mailbox_id: agent.mailboxId,
  domain_id: agent.domainId,
  created_at: timeOrNull(agent.createdAt),
});

const add = command({
  name: 'agents add',
  summary: 'makes an agent with a mailbox, an address and an API key',
  operands: { handle: required('HANDLE', 'the part before the @: 3 to 63 lower-case letters, digits, inner hyphens') },
  options: {
    workspace: required('W', 'name, slug or id'),
    domain: optional('DOMAIN', "a domain of the workspace; without it the workspace's subdomain"),
    'display-name': optional('NAME', 'shown beside the address'),
    hold: flag('every send of it waits for a person to approve it'),
  },
  run: async ({ handle, workspace, domain, 'display-name': displayName, hold }, context) => {
    const shownName = displayName === undefined ? null : parseDisplayName(displayName);
    return withInstance(context, async (instance) => {
      const { store, newId, runtime } = instance;
      const needs = { store, newId, clock: runtime.clock };
      const owner = await requireWorkspace(store.read, workspace);
      const place = await chooseDomain(instance, owner, domain);
      const wanted = { workspace: owner, domain: place, handle, displayName: shownName, description: null, hold };
      const { id, address } = await addAgent(needs, wanted);
      const { key } = await addKey(needs, { agentId: id, name: FIRST_KEY, scopes: null, expiresAt: null });
      return {
        document: { id, handle, address, api_key: key },
        text: () =>
          [
            details([
              ['id', id],
              ['handle', handle],
              ['address', address],
              ['api_key', key],
            ]),
            'The key is shown this once: keep it now.',
          ].join('\n\n'),
      };
    });
  },
});

const list = command({
  name: 'agents list',
  summary: 'lists agents',
  operands: {},
  options: { workspace: optional('W', 'only those of this workspace: name, slug or id') },
  run: ({ workspace }, context) =>
    withInstance(context, async ({ store }) => {
      const owner = workspace === undefined ? null : await requireWorkspace(store.read, workspace);
      const workspaces = new Map((await listWorkspaces(store.read)).map((each) => [each.id, each]));
      const agents = (await listAgents(store.read, owner?.id ?? null)).flatMap((agent) => {
        // The box's own sender is in a workspace that no list shows.
        const home = workspaces.get(agent.workspaceId);
        return home ? [viewAgent(agent, home)] : [];
      });
      const rows = agents.map((agent) => [
        agent.handle,
        agent.address,
        agent.display_name,
        agent.workspace,
        agent.status,
        agent.hold ? 'all' : agent.guard ? 'guarded' : null,
      ]);
      return {
        document: { agents },
        text: () => table(['HANDLE', 'ADDRESS', 'NAME', 'WORKSPACE', 'STATUS', 'HELD'], rows, 'No agents yet.'),
      };
    }),
});

const show = command({
  name: 'agents show',
  summary: 'shows an agent',
  operands: { agent: required('AGENT', 'handle, address or id') },
  options: {},
  run: ({ agent }, context) =>
    withInstance(context, async ({ store }) => {
      const found = await requireAgent(store.read, agent);
      const view = viewAgent(found, await findWorkspaceById(store.read, found.workspaceId));
      return { document: view, text: () => details(Object.entries(view)) };
    }),
});

export const agentCommands = [add, list, show];
