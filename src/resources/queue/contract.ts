/** The outbound queue, as owners and the operator see it. */

import { z } from 'zod';
import { idOutput, lookedUpInput, timeOutput, wholeListInput } from '../../kernel/fields.ts';
import { personOperation } from '../../kernel/operation.ts';

export const queuedDeliveryShape = z.object({
  id: idOutput,
  message_id: idOutput,
  address: z.string(),
  status: z.enum(['queued', 'deferred', 'delivered', 'bounced', 'complained', 'cancelled']),
  attempts: z.int(),
  next_attempt_at: timeOutput.nullable(),
  last_response: z.string().nullable(),
  remote_host: z.string().nullable(),
});

const deliveryInput = z.strictObject({ delivery_id: lookedUpInput });

export const queueContract = {
  /** Lists deliveries that are not settled, soonest first. */
  list: personOperation({
    workspace: 'optional',
    input: wholeListInput,
    output: z.object({
      queue: z.array(
        queuedDeliveryShape.extend({
          agent: z.string().nullable().describe('Null: it was removed'),
          subject: z.string(),
          since: timeOutput.describe('When its mail was accepted'),
        }),
      ),
    }),
  }),
  get: personOperation({
    input: deliveryInput,
    output: queuedDeliveryShape.extend({ transcript: z.string().nullable() }),
  }),
  retry: personOperation({
    activity: 'delivery.retry',
    input: deliveryInput,
    output: queuedDeliveryShape,
  }),
  /** Takes a waiting delivery out of the queue; its recipient does not get the mail. */
  cancel: personOperation({
    activity: 'delivery.cancel',
    input: deliveryInput,
    output: queuedDeliveryShape,
  }),
};

export type QueuedDeliveryView = z.infer<typeof queuedDeliveryShape>;
