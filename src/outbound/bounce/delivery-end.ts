/** What follows from the end of a delivery, however it was learnt: written in the transaction that records the end. */

import type { Failure } from '../../config/bounce-rules.ts';
import { addressKey, domainOf } from '../../kernel/address.ts';
import { DAY, type Millis } from '../../kernel/clock.ts';
import { organizationalDomain } from '../../mail/auth/organizational-domain.ts';
import { type Agent, findAgentByMailbox } from '../../store/accounts/agents.ts';
import { findMessage, type StoredMessage, setMessageStatus } from '../../store/mail/messages.ts';
import { type Delivery, type DeliveryStatus, listDeliveriesOf } from '../../store/sending/deliveries.ts';
import { addOutcomes, isFirstOfReply } from '../../store/sending/outcomes.ts';
import { insertSuppression } from '../../store/sending/suppressions.ts';
import type { Tx } from '../../store/store.ts';
import { type ReputationNeeds, updateReputation } from '../gate/reputation-state.ts';

/** A bounce that says nothing of the mailbox (our reputation, a host that was down) keeps mail back for so long. */
const SUPPRESSED_FOR_MS = DAY;

const UNENDED: ReadonlySet<DeliveryStatus> = new Set(['queued', 'deferred', 'cancelled']);

/** The first of these that any recipient is in. */
const messageStatus = (statuses: DeliveryStatus[]): string => {
  if (statuses.includes('complained')) return 'complained';
  if (statuses.includes('bounced')) return 'bounced';
  const sent = statuses.filter((status) => status !== 'cancelled');
  return sent.length > 0 && sent.every((status) => status === 'delivered') ? 'delivered' : 'sent';
};

/**
 * Brings a message's status up to what its deliveries are now.
 * @returns how many of them have ended
 */
export const updateMessageStatus = async (tx: Tx, { messageId }: Delivery): Promise<number> => {
  const statuses = (await listDeliveriesOf(tx.db, messageId)).map(({ status }) => status);
  await setMessageStatus(tx, messageId, messageStatus(statuses));
  return statuses.filter((status) => !UNENDED.has(status)).length;
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
export const toEventSubject = ({ delivery, message, agent }: SentMail) => ({
  workspaceId: agent.workspaceId,
  mailboxId: delivery.mailboxId,
  data: {
    message_id: message.id,
    thread_id: message.threadId,
    to: [delivery.address as string],
    subject: message.subject,
  },
});

/** Counts the end of a delivery's attempts. @param endedOfMail deliveries of the mail that have ended, this one included */
export const countDeliveryEnd = (tx: Tx, { agent }: SentMail, endedOfMail: number, now: Millis): Promise<void> =>
  addOutcomes(tx, agent.workspaceId, now, { ended: 1, mails: endedOfMail === 1 ? 1 : 0 });

/** Counts a bounce or a complaint of cold mail each, those of replies once a day for each organisational domain. */
const countBadOutcome = async (
  tx: Tx,
  { agent: { workspaceId }, message, delivery }: SentMail,
  kind: 'bounced' | 'complained',
  now: Millis,
): Promise<void> => {
  if (message.sendClass !== 'reply') return addOutcomes(tx, workspaceId, now, { [kind]: 1 });
  const organisation = organizationalDomain(domainOf(delivery.address));
  if (!(await isFirstOfReply(tx, workspaceId, kind, organisation, now))) return;
  await addOutcomes(tx, workspaceId, now, kind === 'bounced' ? { replyBounced: 1 } : { replyComplained: 1 });
};

/** The event, the suppression, the workspace's rates and what they lead to. */
export const applyBounce = async (
  needs: ReputationNeeds,
  tx: Tx,
  sent: SentMail,
  { type, suppresses }: Failure,
  now: Millis,
): Promise<void> => {
  const { workspaceId, mailboxId, data } = toEventSubject(sent);
  await needs.events.publish(tx, {
    name: 'message.bounced',
    workspaceId,
    mailboxId,
    data: { ...data, bounce_type: type },
  });
  if (suppresses) {
    await insertSuppression(tx, workspaceId, {
      address: addressKey(sent.delivery.address),
      reason: 'bounce',
      bounceType: type,
      messageId: sent.message.id,
      until: type === 'permanent' ? null : now + SUPPRESSED_FOR_MS,
      createdAt: now,
    });
    if (type === 'permanent') await countBadOutcome(tx, sent, 'bounced', now);
  }
  await updateReputation(needs, tx, workspaceId, now);
};

/** The same after a complaint, which suppresses for good. */
export const applyComplaint = async (needs: ReputationNeeds, tx: Tx, sent: SentMail, now: Millis): Promise<void> => {
  const { workspaceId, mailboxId, data } = toEventSubject(sent);
  await needs.events.publish(tx, { name: 'message.complained', workspaceId, mailboxId, data });
  await insertSuppression(tx, workspaceId, {
    address: addressKey(sent.delivery.address),
    reason: 'complaint',
    bounceType: null,
    messageId: sent.message.id,
    until: null,
    createdAt: now,
  });
  await countBadOutcome(tx, sent, 'complained', now);
  await updateReputation(needs, tx, workspaceId, now);
};
