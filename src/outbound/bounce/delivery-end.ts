/**
 * The consequences of a delivery's end, known by SMTP reply, DSN or feedback report, in the transaction that records
 * it.
 */

import type { Failure } from '../../config/bounce-rules.ts';
import { addressKey, domainOf } from '../../kernel/address.ts';
import { DAY, type Millis } from '../../kernel/clock.ts';
import type { MessageId } from '../../kernel/ids.ts';
import { organizationalDomain } from '../../mail/auth/organizational-domain.ts';
import { type Agent, findAgentByMailbox } from '../../store/accounts/agents.ts';
import { findWorkspaceOfMailbox, type Workspace } from '../../store/accounts/workspaces.ts';
import { findMessage, type StoredMessage, setMessageStatus } from '../../store/mail/messages.ts';
import type { Delivery, DeliveryStatus } from '../../store/sending/deliveries.ts';
import { addHostReply, addMailDay, type HostReply } from '../../store/sending/mail-days.ts';
import { addOutcomes, isFirstOfReply } from '../../store/sending/outcomes.ts';
import { insertSuppression } from '../../store/sending/suppressions.ts';
import type { Tx } from '../../store/store.ts';
import { type ReputationNeeds, updateReputation } from '../gate/reputation-state.ts';

/** Suppression after a bounce that is not about the mailbox (this instance's reputation, a host that was down). */
const SUPPRESSED_FOR_MS = DAY;

const UNENDED: ReadonlySet<DeliveryStatus> = new Set(['queued', 'deferred', 'cancelled']);

/** The worst state of any recipient; delivered once all are. */
const toMessageStatus = (statuses: DeliveryStatus[]): string => {
  if (statuses.includes('complained')) return 'complained';
  if (statuses.includes('bounced')) return 'bounced';
  const sent = statuses.filter((status) => status !== 'cancelled');
  return sent.length > 0 && sent.every((status) => status === 'delivered') ? 'delivered' : 'sent';
};

/**
 * Derives the message's status from those of its deliveries, and stores it.
 * @returns how many of the deliveries have ended
 */
export const updateMessageStatus = async (tx: Tx, id: MessageId, statuses: DeliveryStatus[]): Promise<number> => {
  await setMessageStatus(tx, id, toMessageStatus(statuses));
  return statuses.filter((status) => !UNENDED.has(status)).length;
};

/** A delivery with its message, the agent that sent it and the agent's workspace. */
export interface SentMail {
  delivery: Delivery;
  message: StoredMessage;
  agent: Agent;
  workspace: Workspace;
}

/** Null where the message or its agent is gone. */
export const findSentMail = async (tx: Tx, delivery: Delivery): Promise<SentMail | null> => {
  const { mailboxId, messageId } = delivery;
  const [agent, workspace, message] = await Promise.all([
    findAgentByMailbox(tx.db, mailboxId),
    findWorkspaceOfMailbox(tx.db, mailboxId),
    findMessage(tx.db, mailboxId, messageId),
  ]);
  return agent && workspace && message && { delivery, message, agent, workspace };
};

/** The fields that events about one recipient share. */
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

/**
 * Counts a delivery after its last attempt.
 * @param endedOfMail ended deliveries of the mail, this one included
 */
export const countDeliveryEnd = (
  tx: Tx,
  { agent }: SentMail,
  endedOfMail: number,
  isDelivered: boolean,
  now: Millis,
): Promise<void> =>
  addOutcomes(tx, agent.workspaceId, now, {
    ended: 1,
    mails: endedOfMail === 1 ? 1 : 0,
    delivered: isDelivered ? 1 : 0,
  });

const organisationOf = ({ address }: Delivery): string => organizationalDomain(domainOf(address));

/** Counts what a host answered, for the health of sending. */
export const countReply = (tx: Tx, { delivery, agent }: SentMail, reply: HostReply, now: Millis): Promise<void> =>
  addHostReply(tx, agent.workspaceId, organisationOf(delivery), reply, now);

/** Counts each bounce and complaint of cold mail; those of replies once a day for each organisational domain. */
const countBadOutcome = async (
  tx: Tx,
  { agent: { workspaceId }, message, delivery }: SentMail,
  kind: 'bounced' | 'complained',
  now: Millis,
): Promise<void> => {
  const isReply = message.sendClass === 'reply';
  if (isReply && !(await isFirstOfReply(tx, workspaceId, kind, organisationOf(delivery), now))) return;
  if (kind === 'bounced') await addMailDay(tx, { workspaceId, mailboxId: delivery.mailboxId }, now, { bounced: 1 });
  if (!isReply) return addOutcomes(tx, workspaceId, now, { [kind]: 1 });
  await addOutcomes(tx, workspaceId, now, kind === 'bounced' ? { replyBounced: 1 } : { replyComplained: 1 });
};

/** A bounce: publishes the event, suppresses the address, updates the workspace's rates and reputation state. */
export const applyBounce = async (
  needs: ReputationNeeds,
  tx: Tx,
  sent: SentMail,
  { type, suppresses, mayPass = false }: Failure,
  now: Millis,
): Promise<void> => {
  const { workspaceId, mailboxId, data } = toEventSubject(sent);
  await needs.events.publish(tx, {
    name: 'message.bounced',
    workspaceId,
    mailboxId,
    data: { ...data, bounce_type: type },
  });
  await needs.activity.recordOwn(tx, 'message.bounce', {
    workspaceId,
    subject: sent.delivery.address,
    detail: { message_id: sent.message.id, agent: sent.agent.handle, bounce_type: type },
  });
  if (suppresses) {
    await insertSuppression(tx, workspaceId, {
      address: addressKey(sent.delivery.address),
      reason: 'bounce',
      bounceType: type,
      messageId: sent.message.id,
      until: type === 'permanent' && !mayPass ? null : now + SUPPRESSED_FOR_MS,
      createdAt: now,
    });
    if (type === 'permanent') await countBadOutcome(tx, sent, 'bounced', now);
  }
  await updateReputation(needs, tx, sent.workspace, now);
};

/** A complaint: the same, with a suppression without end. */
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
  await updateReputation(needs, tx, sent.workspace, now);
};
