/** `postroom connections` */

import { connectionsContract } from '../../resources/connections/contract.ts';
import { command } from '../command.ts';
import { confirm } from '../confirm.ts';
import { flag, optional, required } from '../parameters.ts';
import { table } from '../table.ts';
import { withOperations } from '../with-operations.ts';
import { formatEndedScheduled, formatEndedWebhooks } from './ended-connections.ts';

const list = command({
  name: 'connections list',
  summary: 'lists the applications that owners let use their agents, by their own names',
  operands: {},
  options: { workspace: optional('W', 'only those that reach this one: name, slug or id') },
  run: ({ workspace }, context) =>
    withOperations(context, async (call) => {
      const document = await call(connectionsContract.list, { workspace });
      const rows = document.connections.map((each) => [
        each.id,
        each.client_name,
        each.redirect_host,
        each.owner,
        each.agents?.join(',') ?? 'all',
        each.scopes.join(','),
        each.reach,
        each.last_used_at,
        each.expires_at,
      ]);
      const head = ['ID', 'CALLS ITSELF', 'ANSWERS GO TO', 'OWNER', 'AGENTS', 'SCOPES', 'REACH', 'LAST USED', 'ENDS'];
      return { document, text: () => table(head, rows, 'No application is connected.') };
    }),
});

const revoke = command({
  name: 'connections revoke',
  summary: 'cuts an application off at once',
  operands: { id: required('ID', 'as `postroom connections list` shows it') },
  options: { yes: flag('do not ask') },
  run: ({ id, yes }, context) =>
    withOperations(context, async (call) => {
      const { connections } = await call(connectionsContract.list, {});
      const known = connections.find((each) => each.id === id.toLowerCase());
      // One that is not there is refused without a question.
      if (known) await confirm(`Cut off "${known.client_name}", which ${known.owner} connected?`, yes);
      const document = await call(connectionsContract.revoke, { connection_id: id });
      return {
        document,
        text: () =>
          [
            'It is cut off.',
            ...formatEndedWebhooks(document.webhooks),
            ...formatEndedScheduled(document.scheduled),
          ].join('\n'),
      };
    }),
});

export const connectionCommands = [list, revoke];
