/** `postroom agents` */

import { agentsContract } from '../../resources/agents/contract.ts';
import { workspacesContract } from '../../resources/workspaces/contract.ts';
import { command } from '../command.ts';
import { wrongUsage } from '../failure.ts';
import { flag, optional, required } from '../parameters.ts';
import { details, table } from '../table.ts';
import { withOperations } from '../with-operations.ts';

/** Shown beside the address in every recipient's list; a line, no more. */
const MAX_DISPLAY_NAME = 200;

const parseDisplayName = (text: string): string => {
  const name = text.trim();
  if (name.length <= MAX_DISPLAY_NAME && !/\p{Cc}/u.test(name)) return name;
  throw wrongUsage(`A display name is one line of at most ${MAX_DISPLAY_NAME} characters.`);
};

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
    const display_name = displayName === undefined ? null : parseDisplayName(displayName);
    return withOperations(context, async (call) => {
      const document = await call(agentsContract.add, { handle, workspace, domain, display_name, hold });
      const { may_send: maySend, slug } = await call(workspacesContract.get, { workspace });
      const lines = [details(Object.entries(document)), 'The key is shown this once: keep it now.'];
      if (!maySend) lines.push(`It cannot send yet. See why: postroom workspaces show ${slug}`);
      return { document, text: () => lines.join('\n\n') };
    });
  },
});

const list = command({
  name: 'agents list',
  summary: 'lists agents',
  operands: {},
  options: { workspace: optional('W', 'only those of this workspace: name, slug or id') },
  run: ({ workspace }, context) =>
    withOperations(context, async (call) => {
      const document = await call(agentsContract.list, { workspace });
      const rows = document.agents.map((agent) => [
        agent.handle,
        agent.address,
        agent.display_name,
        agent.workspace,
        agent.status,
        agent.hold ? 'all' : agent.guard ? 'guarded' : null,
      ]);
      return {
        document,
        text: () => table(['HANDLE', 'ADDRESS', 'NAME', 'WORKSPACE', 'STATUS', 'HELD'], rows, 'No agents yet.'),
      };
    }),
});

/** Whether what was typed is the address, or its part before the @. */
const namesAddress = (text: string, address: string): boolean => `${address}@`.startsWith(`${text.toLowerCase()}@`);

const show = command({
  name: 'agents show',
  summary: 'shows an agent',
  operands: { agent: required('AGENT', 'handle, address or id') },
  options: {},
  run: ({ agent }, context) =>
    withOperations(context, async (call) => {
      const document = await call(agentsContract.get, { agent });
      const { former_addresses: former, ...view } = document;
      const isFormer = former.some(({ address }) => namesAddress(agent, address));
      return {
        document,
        text: () =>
          [
            ...(isFormer ? [`${agent} is a former name of ${view.handle}.\n`] : []),
            details([
              ...Object.entries(view),
              ...former.map((each) => ['former', `${each.address} until ${each.receives_until.slice(0, 10)}`] as const),
            ]),
          ].join('\n'),
      };
    }),
});

export const agentCommands = [add, list, show];
