/** `postroom webhooks` */

import { webhooksContract } from '../../resources/webhooks/contract.ts';
import { command } from '../command.ts';
import { confirm } from '../confirm.ts';
import { flag, required } from '../parameters.ts';
import { printable, table } from '../table.ts';
import { withOperations } from '../with-operations.ts';

const list = command({
  name: 'webhooks list',
  summary: "lists a workspace's webhook endpoints, oldest first",
  operands: {},
  options: { workspace: required('W', 'name, slug or id') },
  run: ({ workspace }, context) =>
    withOperations(context, async (call) => {
      const document = await call(webhooksContract.list, { workspace });
      const rows = document.webhooks.map(({ id, url, mailbox_id, active, disabled_reason, made_by, created_at }) => [
        id,
        url,
        mailbox_id === null ? 'workspace' : 'one mailbox',
        active ? 'active' : disabled_reason,
        made_by,
        created_at,
      ]);
      const head = ['ID', 'URL', 'HEARS', 'STATE', 'MADE BY', 'SINCE'];
      return { document, text: () => table(head, rows, 'No webhook endpoints.') };
    }),
});

const remove = command({
  name: 'webhooks remove',
  summary: 'ends a webhook endpoint for good, with what waits for it',
  operands: { id: required('ID', 'as `webhooks list` has it') },
  options: { yes: flag('do not ask') },
  run: async ({ id, yes }, context) => {
    await confirm(`Remove the webhook endpoint ${id}?`, yes);
    return withOperations(context, async (call) => {
      const document = await call(webhooksContract.remove, { id });
      return { document, text: () => `The webhook endpoint ${printable(document.url)} is removed.` };
    });
  },
});

export const webhookCommands = [list, remove];
