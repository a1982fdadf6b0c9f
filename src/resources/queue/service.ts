import type { z } from 'zod';
import { isWithinReach } from '../../access/reach.ts';
import { viewOf } from '../../access/view-of.ts';
import type { PersonCaller } from '../../kernel/caller.ts';
import { isoTime } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers, Recorded, RecordingCall } from '../../kernel/handlers.ts';
import { type MailboxId, parseId } from '../../kernel/ids.ts';
import { cancelQueued } from '../../outbound/queue/cancel-queued.ts';
import { type Agent, findAgentByMailbox } from '../../store/accounts/agents.ts';
import { findMessage } from '../../store/mail/messages.ts';
import { type Delivery, findDelivery } from '../../store/sending/deliveries.ts';
import { expediteDelivery, listQueue } from '../../store/sending/delivery-queue.ts';
import type { Tx } from '../../store/store.ts';
import type { Needs } from '../needs.ts';
import { type QueuedDeliveryView, type queueContract, queuedDeliveryShape } from './contract.ts';

const viewQueuedDelivery = viewOf(queuedDeliveryShape, ({ response }: Delivery) => ({ last_response: response }));

export const createQueue = ({
  store,
  clock,
  wakeSender,
}: Needs<'store' | 'clock' | 'wakeSender'>): Handlers<typeof queueContract> => {
  /** Only the operator sees a removed agent's deliveries. */
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

  /** Changes a waiting delivery; one with an outcome, or an attempt in progress, stays as it is. */
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
    list: async ({ workspaceId = null }, { limit }) => {
      const agents = new Map<MailboxId, Agent | null>();
      const queue: z.infer<(typeof queueContract)['list']['output']>['queue'] = [];
      for (const delivery of await listQueue(store.read, workspaceId, limit)) {
        const { mailboxId, messageId } = delivery;
        if (!agents.has(mailboxId)) agents.set(mailboxId, await findAgentByMailbox(store.read, mailboxId));
        const subject = (await findMessage(store.read, mailboxId, messageId))?.subject ?? '';
        const about = { agent: agents.get(mailboxId)?.handle ?? null, subject, since: isoTime(delivery.createdAt) };
        queue.push({ ...viewQueuedDelivery(delivery), ...about });
      }
      return { queue };
    },

    get: async (caller, { delivery_id: text }) => {
      const delivery = await reach(caller, text);
      return { ...viewQueuedDelivery(delivery), transcript: delivery.transcript };
    },

    retry: (caller, { delivery_id }, call) =>
      change(caller, delivery_id, call, (tx, { id }) => {
        tx.afterCommit(wakeSender);
        return expediteDelivery(tx, id, clock.now());
      }),
    cancel: (caller, { delivery_id }, call) => change(caller, delivery_id, call, cancelQueued),
  };
};
