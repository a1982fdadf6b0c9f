import { webhooksContract } from '../../resources/webhooks/contract.ts';
import { flag, listCommand, operationCommand, required } from '../command.ts';
import { printable } from '../table.ts';

const list = listCommand({
  name: 'webhooks list',
  summary: "lists a workspace's webhook endpoints, oldest first",
  options: { workspace: required('W', 'name, slug or id') },
  operation: webhooksContract.list,
  columns: [
    'id',
    'url',
    ['HEARS', (each) => (each.mailbox_id === null ? 'workspace' : 'one mailbox')],
    ['STATE', (each) => (each.active ? 'active' : each.disabled_reason)],
    'made_by',
    ['SINCE', 'created_at'],
  ],
  none: 'No webhook endpoints.',
});

const remove = operationCommand({
  name: 'webhooks remove',
  summary: 'ends a webhook endpoint for good, with what waits for it',
  operands: { id: required('ID', 'as `webhooks list` has it') },
  options: { yes: flag('do not ask') },
  question: ({ id }) => `Remove the webhook endpoint ${id}?`,
  call: (call, { id }) => call(webhooksContract.remove, { id }),
  text: ({ url }) => `The webhook endpoint ${printable(url)} is removed.`,
});

export const webhookCommands = [list, remove];
