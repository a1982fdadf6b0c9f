/** A person takes a delivery out of the queue. */

import type { Delivery } from '../../store/sending/deliveries.ts';
import { cancelDelivery } from '../../store/sending/delivery-queue.ts';
import type { Tx } from '../../store/store.ts';
import { updateMessageStatus } from '../bounce/delivery-end.ts';

/** @returns whether it was waiting: what is settled or under way is left as it is */
export const cancelQueued = async (tx: Tx, delivery: Delivery): Promise<boolean> => {
  const isCancelled = await cancelDelivery(tx, delivery.id);
  if (isCancelled) await updateMessageStatus(tx, delivery);
  return isCancelled;
};
