/** `postroom queue` */

import { parseId } from '../kernel/ids.ts';
import { type Delivery, findDelivery } from '../store/deliveries.ts';
import { listQueue } from '../store/queue.ts';
import { command } from './command.ts';
import { refused } from './failure.ts';
import { withBox } from './open-box.ts';
import { required } from './parameters.ts';
import { details, printable, table, timeOrNull } from './table.ts';

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
  options: {},
  run: (_given, context) =>
    withBox(context, async ({ store }) => {
      const queue = (await listQueue(store.read, MAX_LISTED)).map(viewDelivery);
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

const show = command({
  name: 'queue show',
  summary: 'shows a delivery with the transcript of its last attempt',
  operands: { id: required('ID', 'as `postroom queue list` shows it') },
  options: {},
  run: ({ id }, context) =>
    withBox(context, async ({ store }) => {
      const deliveryId = parseId<'delivery'>(id);
      const delivery = deliveryId && (await findDelivery(store.read, deliveryId));
      if (!delivery) throw refused(`No delivery has the id ${id}. \`postroom queue list\` shows those under way.`);
      const view = viewDelivery(delivery);
      const { transcript } = delivery;
      const lines = transcript?.split(/\r?\n/).map(printable) ?? ['No session has been held yet.'];
      return {
        document: { ...view, transcript },
        text: () => [details(Object.entries(view)), lines.join('\n')].join('\n\n'),
      };
    }),
});

export const queueCommands = [list, show];
