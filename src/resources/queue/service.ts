/** The queue resource. */

import { isWithinReach, reachOfList } from '../../access/reach.ts';
import type { PersonCaller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import { parseId } from '../../kernel/ids.ts';
import type { Handlers } from '../../kernel/operation.ts';
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
    work: (tx: Tx, delivery: Delivery) => Promise<boolean>,
  ): Promise<QueuedDeliveryView> => {
    const delivery = await reach(caller, text);
    const isChanged = await store.write((tx) => work(tx, delivery));
    const after = (await findDelivery(store.read, delivery.id)) ?? delivery;
    if (isChanged) return viewQueuedDelivery(after);
    throw new ApiError('delivery_not_waiting', { fields: { status: after.status, attempting: after.attempting } });
  };

  return {
    list: async (caller, { workspace, limit }) => {
      const workspaceId = await reachOfList(store.read, caller, workspace);
      return { queue: (await listQueue(store.read, workspaceId, limit)).map(viewQueuedDelivery) };
    },

    get: async (caller, { delivery_id: text }) => {
      const delivery = await reach(caller, text);
      return { ...viewQueuedDelivery(delivery), transcript: delivery.transcript };
    },

    retry: (caller, { delivery_id }) =>
      change(caller, delivery_id, (tx, { id }) => expediteDelivery(tx, id, clock.now())),
    cancel: (caller, { delivery_id }) => change(caller, delivery_id, cancelQueued),
  };
};
