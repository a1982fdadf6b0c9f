/** Takes a delivery out of the queue at an operator's request. */

import { type Delivery, listDeliveryStatuses } from '../../store/sending/deliveries.ts';
import { cancelDelivery } from '../../store/sending/delivery-queue.ts';
import type { Tx } from '../../store/store.ts';
import { updateMessageStatus } from '../bounce/delivery-end.ts';

/** @returns whether it was waiting: what has ended or has an attempt in progress stays as it is */
export const cancelQueued = async (tx: Tx, delivery: Delivery): Promise<boolean> => {
  const { id, messageId } = delivery;
  const isCancelled = await cancelDelivery(tx, id);
  if (isCancelled) await updateMessageStatus(tx, messageId, await listDeliveryStatuses(tx.db, messageId));
  return isCancelled;
};
