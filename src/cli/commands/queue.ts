/** `postroom queue` */

import type { CallOperation } from '../../app/operator-calls.ts';
import { type QueuedDeliveryView, queueContract } from '../../resources/queue/contract.ts';
import { type Answer, type Context, command } from '../command.ts';
import { confirm } from '../confirm.ts';
import { flag, optional, required } from '../parameters.ts';
import { details, printable, table } from '../table.ts';
import { withOperations } from '../with-operations.ts';

const list = command({
  name: 'queue list',
  summary: 'lists deliveries under way, soonest first, up to 1000',
  operands: {},
  options: { workspace: optional('W', 'of this workspace alone: name, slug or id') },
  run: ({ workspace }, context) =>
    withOperations(context, async (call) => {
      const document = await call(queueContract.list, { workspace });
      const rows = document.queue.map((each) => [
        each.id,
        each.address,
        each.status,
        each.attempts,
        each.next_attempt_at,
        each.last_response,
      ]);
      return {
        document,
        text: () =>
          table(['ID', 'TO', 'STATUS', 'ATTEMPTS', 'NEXT ATTEMPT', 'LAST REPLY'], rows, 'The queue is empty.'),
      };
    }),
});

const idOperand = { id: required('ID', 'as `postroom queue list` shows it') };

const show = command({
  name: 'queue show',
  summary: 'shows a delivery with the transcript of its last attempt',
  operands: idOperand,
  options: {},
  run: ({ id }, context) =>
    withOperations(context, async (call) => {
      const document = await call(queueContract.get, { delivery_id: id });
      const { transcript, ...delivery } = document;
      const lines = transcript?.split(/\r?\n/).map(printable) ?? ['No session has been held yet.'];
      return { document, text: () => [details(Object.entries(delivery)), lines.join('\n')].join('\n\n') };
    }),
});

const change = (context: Context, work: (call: CallOperation) => Promise<QueuedDeliveryView>): Promise<Answer> =>
  withOperations(context, async (call) => {
    const document = await work(call);
    return { document, text: () => details(Object.entries(document)) };
  });

const retry = command({
  name: 'queue retry',
  summary: 'has a delivery attempted now',
  operands: idOperand,
  options: {},
  run: ({ id }, context) => change(context, (call) => call(queueContract.retry, { delivery_id: id })),
});

const cancel = command({
  name: 'queue cancel',
  summary: 'takes a delivery out of the queue; its recipient does not get the mail',
  operands: idOperand,
  options: { yes: flag('do not ask') },
  run: async ({ id, yes }, context) => {
    await confirm(`Take delivery ${id} out of the queue?`, yes);
    return change(context, (call) => call(queueContract.cancel, { delivery_id: id }));
  },
});

export const queueCommands = [list, show, retry, cancel];
