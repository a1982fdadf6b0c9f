import { agentsContract } from '../../resources/agents/contract.ts';
import { workspacesContract } from '../../resources/workspaces/contract.ts';
import {
  command,
  flag,
  listCommand,
  operationCommand,
  optional,
  required,
  requireLine,
  withOperations,
} from '../command.ts';
import { details } from '../table.ts';

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
    const display_name = displayName === undefined ? null : requireLine('A display name', 200, displayName);
    return withOperations(context, async (call) => {
      const document = await call(agentsContract.add, { handle, workspace, domain, display_name, hold });
      const { may_send: maySend, slug } = await call(workspacesContract.get, { workspace });
      const lines = [details(Object.entries(document)), 'The key is shown this once: keep it now.'];
      if (!maySend) lines.push(`It cannot send yet. See why: postroom workspaces show ${slug}`);
      return { document, text: () => lines.join('\n\n') };
    });
  },
});

const list = listCommand({
  name: 'agents list',
  summary: 'lists agents',
  options: { workspace: optional('W', 'only those of this workspace: name, slug or id') },
  operation: agentsContract.list,
  columns: [
    'handle',
    'address',
    ['NAME', 'display_name'],
    'workspace',
    'status',
    ['HELD', ({ hold, guard }) => (hold ? 'all' : guard ? 'guarded' : null)],
  ],
  none: 'No agents yet.',
});

/** Whether the text is the address, or its part before the @. */
const namesAddress = (text: string, address: string): boolean => `${address}@`.startsWith(`${text.toLowerCase()}@`);

const show = operationCommand({
  name: 'agents show',
  summary: 'shows an agent',
  operands: { agent: required('AGENT', 'handle, address or id') },
  call: (call, { agent }) => call(agentsContract.get, { agent }),
  text: ({ former_addresses: former, ...view }, { agent }) => {
    const isFormer = former.some(({ address }) => namesAddress(agent, address));
    return [
      ...(isFormer ? [`${agent} is a former name of ${view.handle}.\n`] : []),
      details([
        ...Object.entries(view),
        ...former.map((each) => ['former', `${each.address} until ${each.receives_until.slice(0, 10)}`] as const),
      ]),
    ].join('\n');
  },
});

export const agentCommands = [add, list, show];
