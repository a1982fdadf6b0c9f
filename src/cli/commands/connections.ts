import { connectionsContract } from '../../resources/connections/contract.ts';
import { flag, listCommand, operationCommand, optional, required } from '../command.ts';
import { confirm } from '../confirm.ts';
import { formatEndedScheduled, formatEndedWebhooks } from './ended-connections.ts';

const list = listCommand({
  name: 'connections list',
  summary: 'lists the applications that owners let use their agents, by their own names',
  options: { workspace: optional('W', 'only those that reach this one: name, slug or id') },
  operation: connectionsContract.list,
  columns: [
    'id',
    ['CALLS ITSELF', 'client_name'],
    ['ANSWERS GO TO', 'redirect_host'],
    'owner',
    ['AGENTS', ({ agents }) => agents?.join(',') ?? 'all'],
    ['SCOPES', ({ scopes }) => scopes.join(',')],
    'reach',
    'last_used_at',
    ['ENDS', 'expires_at'],
  ],
  none: 'No application is connected.',
});

const revoke = operationCommand({
  name: 'connections revoke',
  summary: 'cuts an application off at once',
  operands: { id: required('ID', 'as `postroom connections list` shows it') },
  options: { yes: flag('do not ask') },
  call: async (call, { id, yes }) => {
    const { connections } = await call(connectionsContract.list, {});
    const known = connections.find((each) => each.id === id.toLowerCase());
    // An unknown one is refused without a question.
    if (known) await confirm(`Cut off "${known.client_name}", which ${known.owner} connected?`, yes);
    return call(connectionsContract.revoke, { connection_id: id });
  },
  text: ({ webhooks, scheduled }) =>
    ['It is cut off.', ...formatEndedWebhooks(webhooks), ...formatEndedScheduled(scheduled)].join('\n'),
});

export const connectionCommands = [list, revoke];
