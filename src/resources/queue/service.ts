/** The queue resource. */

import { isWithinReach } from '../../access/reach.ts';
import type { PersonCaller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers, Recorded, RecordingCall } from '../../kernel/handlers.ts';
import { parseId } from '../../kernel/ids.ts';
import { cancelQueued } from '../../outbound/queue/cancel-queued.ts';
import { findAgentByMailbox } from '../../store/accounts/agents.ts';
import { type Delivery, findDelivery } from '../../store/sending/deliveries.ts';
import { expediteDelivery, listQueue } from '../../store/sending/delivery-queue.ts';
import type { Store, Tx } from '../../store/store.ts';
import type { QueuedDeliveryView, queueContract } from './contract.ts';
import { viewQueuedDelivery } from './view.ts';

export interface QueueNeeds {
  store: Store;
  clock: Clock;
}

export const createQueue = ({ store, clock }: QueueNeeds): Handlers<typeof queueContract> => {
  /** A removed agent's deliveries are the operator's alone to see. */
  const isInReach = async (caller: PersonCaller, { mailboxId }: Delivery): Promise<boolean> => {
    if (caller.kind === 'operator') return true;
    const agent = await findAgentByMailbox(store.read, mailboxId);
    return agent !== null && isWithinReach(caller, agent.workspaceId);
  };

  const reach = async (caller: PersonCaller, text: string): Promise<Delivery> => {
    const id = parseId<'delivery'>(text);
    const delivery = id && (await findDelivery(store.read, id));
    if (delivery && (await isInReach(caller, delivery))) return delivery;
    throw new ApiError('delivery_not_found', { fields: { delivery_id: text } });
  };

  /** Changes a delivery that waits; one that is settled, or attempted at the moment, is left as it is. */
  const change = async (
    caller: PersonCaller,
    text: string,
    { record }: RecordingCall,
    work: (tx: Tx, delivery: Delivery) => Promise<boolean>,
  ): Promise<Recorded<QueuedDeliveryView>> => {
    const delivery = await reach(caller, text);
    return store.write(async (tx) => {
      const isChanged = await work(tx, delivery);
      const after = (await findDelivery(tx.db, delivery.id)) ?? delivery;
      if (!isChanged) {
        throw new ApiError('delivery_not_waiting', { fields: { status: after.status, attempting: after.attempting } });
      }
      const workspaceId = (await findAgentByMailbox(tx.db, delivery.mailboxId))?.workspaceId ?? null;
      const detail = { delivery_id: delivery.id, message_id: delivery.messageId };
      return record(tx, { workspaceId, subject: delivery.address, detail }, viewQueuedDelivery(after));
    });
  };

  return {
    list: async ({ workspaceId = null }, { limit }) => ({
      queue: (await listQueue(store.read, workspaceId, limit)).map(viewQueuedDelivery),
    }),

    get: async (caller, { delivery_id: text }) => {
      const delivery = await reach(caller, text);
      return { ...viewQueuedDelivery(delivery), transcript: delivery.transcript };
    },

    retry: (caller, { delivery_id }, call) =>
      change(caller, delivery_id, call, (tx, { id }) => expediteDelivery(tx, id, clock.now())),
    cancel: (caller, { delivery_id }, call) => change(caller, delivery_id, call, cancelQueued),
  };
};
