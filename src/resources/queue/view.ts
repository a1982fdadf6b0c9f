/** Stored deliveries in the shape that persons see. */

import { isoTimeOrNull } from '../../kernel/clock.ts';
import type { Delivery } from '../../store/sending/deliveries.ts';
import type { QueuedDeliveryView } from './contract.ts';

export const viewQueuedDelivery = (delivery: Delivery): QueuedDeliveryView => ({
  id: delivery.id,
  message_id: delivery.messageId,
  address: delivery.address,
  status: delivery.status,
  attempts: delivery.attempts,
  next_attempt_at: isoTimeOrNull(delivery.nextAttemptAt),
  last_response: delivery.response,
  remote_host: delivery.remoteHost,
});
