/** What follows from a bounce or a complaint, however it was learnt: all of it in the transaction that writes the delivery. */

import { addressKey } from '../kernel/address.ts';
import { DAY, type Millis } from '../kernel/clock.ts';
import type { BounceType } from '../kernel/replies.ts';
import { type Agent, findAgentByMailbox } from '../store/agents.ts';
import { type Delivery, type DeliveryStatus, listDeliveriesOf } from '../store/deliveries.ts';
import { findMessage, type StoredMessage, setMessageStatus } from '../store/messages.ts';
import { addOutcomes } from '../store/outcomes.ts';
import type { Tx } from '../store/store.ts';
import { insertSuppression } from '../store/suppressions.ts';
import { reviewStanding, type StateNeeds } from './sending-state.ts';

/** A bounce that says nothing of the mailbox (our reputation, a host that was down) keeps mail back for so long. */
const SUPPRESSED_FOR_MS = DAY;

/** The first of these that any recipient is in. */
const messageStatus = (statuses: DeliveryStatus[]): string => {
  if (statuses.includes('complained')) return 'complained';
  if (statuses.includes('bounced')) return 'bounced';
  const sent = statuses.filter((status) => status !== 'cancelled');
  return sent.length > 0 && sent.every((status) => status === 'delivered') ? 'delivered' : 'sent';
};

/** Brings a message's status up to what its deliveries are now. */
export const reviewMessageStatus = async (tx: Tx, { messageId }: Delivery): Promise<void> => {
  const all = await listDeliveriesOf(tx.db, messageId);
  await setMessageStatus(tx, messageId, messageStatus(all.map(({ status }) => status)));
};

/** A delivery with what it delivers and who sent it. */
export interface SentMail {
  delivery: Delivery;
  message: StoredMessage;
  agent: Agent;
}

/** Null where the message or its agent is gone. */
export const findSentMail = async (tx: Tx, delivery: Delivery): Promise<SentMail | null> => {
  const agent = await findAgentByMailbox(tx.db, delivery.mailboxId);
  const message = await findMessage(tx.db, delivery.mailboxId, delivery.messageId);
  return agent && message && { delivery, message, agent };
};

/** What an event about one recipient says of the mail and of whose it is. */
export const aboutSentMail = ({ delivery, message, agent }: SentMail) => ({
  workspaceId: agent.workspaceId,
  mailboxId: delivery.mailboxId,
  data: {
    message_id: message.id,
    thread_id: message.threadId,
    to: [delivery.address as string],
    subject: message.subject,
  },
});

/** The event, the suppression, the workspace's rates and what they lead to. */
export const followBounce = async (
  needs: StateNeeds,
  tx: Tx,
  sent: SentMail,
  bounceType: BounceType,
  now: Millis,
): Promise<void> => {
  const { workspaceId, mailboxId, data } = aboutSentMail(sent);
  await needs.events.publish(tx, {
    name: 'message.bounced',
    workspaceId,
    mailboxId,
    data: { ...data, bounce_type: bounceType },
  });
  await insertSuppression(tx, workspaceId, {
    address: addressKey(sent.delivery.address),
    reason: 'bounce',
    bounceType,
    messageId: sent.message.id,
    until: bounceType === 'permanent' ? null : now + SUPPRESSED_FOR_MS,
    createdAt: now,
  });
  await addOutcomes(tx, workspaceId, now, { bounced: 1 });
  await reviewStanding(needs, tx, workspaceId, now);
};

/** The same after a complaint, which suppresses for good. */
export const followComplaint = async (needs: StateNeeds, tx: Tx, sent: SentMail, now: Millis): Promise<void> => {
  const { workspaceId, mailboxId, data } = aboutSentMail(sent);
  await needs.events.publish(tx, { name: 'message.complained', workspaceId, mailboxId, data });
  await insertSuppression(tx, workspaceId, {
    address: addressKey(sent.delivery.address),
    reason: 'complaint',
    bounceType: null,
    messageId: sent.message.id,
    until: null,
    createdAt: now,
  });
  await addOutcomes(tx, workspaceId, now, { complained: 1 });
  await reviewStanding(needs, tx, workspaceId, now);
};
