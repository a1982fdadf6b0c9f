/** `postroom queue` */

import type { Millis } from '../../kernel/clock.ts';
import { parseId } from '../../kernel/ids.ts';
import { cancelQueued } from '../../outbound/queue/cancel-queued.ts';
import { type Delivery, findDelivery } from '../../store/sending/deliveries.ts';
import { expediteDelivery, listQueue } from '../../store/sending/delivery-queue.ts';
import type { Tx } from '../../store/store.ts';
import { type Answer, type Context, command } from '../command.ts';
import { confirm } from '../confirm.ts';
import { refused } from '../failure.ts';
import { requireWorkspace } from '../find.ts';
import { flag, optional, required } from '../parameters.ts';
import { details, printable, table, timeOrNull } from '../table.ts';
import { withInstance } from '../with-instance.ts';

/** More than anybody reads; a transcript comes with each row, so the list is bounded. */
const MAX_LISTED = 1_000;

const viewDelivery = (delivery: Delivery) => ({
  id: delivery.id,
  message_id: delivery.messageId,
  address: delivery.address,
  status: delivery.status,
  attempts: delivery.attempts,
  next_attempt_at: timeOrNull(delivery.nextAttemptAt),
  last_response: delivery.response,
  remote_host: delivery.remoteHost,
});

const list = command({
  name: 'queue list',
  summary: `lists deliveries under way, soonest first, up to ${MAX_LISTED}`,
  operands: {},
  options: { workspace: optional('W', 'of this workspace alone: name, slug or id') },
  run: ({ workspace }, context) =>
    withInstance(context, async ({ store }) => {
      const owner = workspace === undefined ? null : (await requireWorkspace(store.read, workspace)).id;
      const queue = (await listQueue(store.read, owner, MAX_LISTED)).map(viewDelivery);
      const rows = queue.map((each) => [
        ...[each.id, each.address, each.status, each.attempts, each.next_attempt_at],
        each.last_response,
      ]);
      return {
        document: { queue },
        text: () =>
          table(['ID', 'TO', 'STATUS', 'ATTEMPTS', 'NEXT ATTEMPT', 'LAST REPLY'], rows, 'The queue is empty.'),
      };
    }),
});

const idOperand = { id: required('ID', 'as `postroom queue list` shows it') };

const noSuchDelivery = (id: string) =>
  refused(`No delivery has the id ${id}. \`postroom queue list\` shows those under way.`);

const show = command({
  name: 'queue show',
  summary: 'shows a delivery with the transcript of its last attempt',
  operands: idOperand,
  options: {},
  run: ({ id }, context) =>
    withInstance(context, async ({ store }) => {
      const deliveryId = parseId<'delivery'>(id);
      const delivery = deliveryId && (await findDelivery(store.read, deliveryId));
      if (!delivery) throw noSuchDelivery(id);
      const view = viewDelivery(delivery);
      const { transcript } = delivery;
      const lines = transcript?.split(/\r?\n/).map(printable) ?? ['No session has been held yet.'];
      return {
        document: { ...view, transcript },
        text: () => [details(Object.entries(view)), lines.join('\n')].join('\n\n'),
      };
    }),
});

/** Changes a delivery that waits; what is settled, or under way this moment, is left as it is. */
const change = (
  context: Context,
  id: string,
  work: (tx: Tx, delivery: Delivery, now: Millis) => Promise<boolean>,
): Promise<Answer> =>
  withInstance(context, async ({ store, runtime }) => {
    const deliveryId = parseId<'delivery'>(id);
    const delivery = deliveryId && (await findDelivery(store.read, deliveryId));
    if (!delivery) throw noSuchDelivery(id);
    const isChanged = await store.write((tx) => work(tx, delivery, runtime.clock.now()));
    const now = (await findDelivery(store.read, delivery.id)) ?? delivery;
    if (!isChanged) {
      throw refused(
        now.attempting ? 'An attempt is under way; look again in a while.' : `This delivery is ${now.status} already.`,
      );
    }
    const view = viewDelivery(now);
    return { document: view, text: () => details(Object.entries(view)) };
  });

const retry = command({
  name: 'queue retry',
  summary: 'has a delivery attempted now',
  operands: idOperand,
  options: {},
  run: ({ id }, context) => change(context, id, (tx, delivery, now) => expediteDelivery(tx, delivery.id, now)),
});

const cancel = command({
  name: 'queue cancel',
  summary: 'takes a delivery out of the queue; its recipient does not get the mail',
  operands: idOperand,
  options: { yes: flag('do not ask') },
  run: async ({ id, yes }, context) => {
    await confirm(`Take delivery ${id} out of the queue?`, yes);
    return change(context, id, cancelQueued);
  },
});

export const queueCommands = [list, show, retry, cancel];
