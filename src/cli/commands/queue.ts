import { queueContract } from '../../resources/queue/contract.ts';
import { flag, listCommand, operationCommand, optional, required } from '../command.ts';
import { details, printable } from '../table.ts';

const list = listCommand({
  name: 'queue list',
  summary: 'lists deliveries under way, soonest first, up to 1000',
  options: { workspace: optional('W', 'of this workspace alone: name, slug or id') },
  operation: queueContract.list,
  columns: ['id', ['TO', 'address'], 'status', 'attempts', 'next_attempt_at', ['LAST REPLY', 'last_response']],
  none: 'The queue is empty.',
});

const idOperand = { id: required('ID', 'as `postroom queue list` shows it') };

const show = operationCommand({
  name: 'queue show',
  summary: 'shows a delivery with the transcript of its last attempt',
  operands: idOperand,
  call: (call, { id }) => call(queueContract.get, { delivery_id: id }),
  text: ({ transcript, ...delivery }) => {
    const lines = transcript?.split(/\r?\n/).map(printable) ?? ['No session has been held yet.'];
    return [details(Object.entries(delivery)), lines.join('\n')].join('\n\n');
  },
});

const retry = operationCommand({
  name: 'queue retry',
  summary: 'has a delivery attempted now',
  operands: idOperand,
  call: (call, { id }) => call(queueContract.retry, { delivery_id: id }),
  text: (delivery) => details(Object.entries(delivery)),
});

const cancel = operationCommand({
  name: 'queue cancel',
  summary: 'takes a delivery out of the queue; its recipient does not get the mail',
  operands: idOperand,
  options: { yes: flag('do not ask') },
  question: ({ id }) => `Take delivery ${id} out of the queue?`,
  call: (call, { id }) => call(queueContract.cancel, { delivery_id: id }),
  text: (delivery) => details(Object.entries(delivery)),
});

export const queueCommands = [list, show, retry, cancel];
