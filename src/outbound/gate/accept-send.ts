/**
 * Accepts a send: message, queue rows, quota and tripwire counters and the event, in the transaction that a 200 stands
 * for.
 */

import type { ActivityLog } from '../../activity/activity-log.ts';
import type { Events } from '../../events/publish-events.ts';
import { type Address, addressKey, domainOf, formatNamed } from '../../kernel/address.ts';
import { type Clock, MINUTE, type Millis } from '../../kernel/clock.ts';
import type { NewId } from '../../kernel/ids.ts';
import { baseSubject } from '../../mail/compose/reply-fields.ts';
import type { MailLog } from '../../mail-log/mail-log.ts';
import { reserveColdSlot } from '../../store/accounts/agents.ts';
import { clearUnauthenticatedSender, insertCorrespondent } from '../../store/mail/correspondents.ts';
import { fileMessage } from '../../store/mail/file-message.ts';
import { insertRawMessage } from '../../store/mail/raw-messages.ts';
import { type Delivery, insertDeliveries, type Lease } from '../../store/sending/deliveries.ts';
import { addOutcomes } from '../../store/sending/outcomes.ts';
import { addBodyRecipients, addColdSend } from '../../store/sending/tripwires.ts';
import { addUsage } from '../../store/sending/usage.ts';
import type { Tx } from '../../store/store.ts';
import type { KnownSend } from './gate-check.ts';
import { type PreparedMessage, recipientsOf } from './prepare-message.ts';
import { UNITS_OF } from './quota-checks.ts';
import { isColdToTripwires } from './tripwire-checks.ts';

export interface AcceptNeeds {
  events: Events;
  clock: Clock;
  newId: NewId;
  mailLog: MailLog;
  activity: Pick<ActivityLog, 'record'>;
  queue: AcceptingQueue;
}

/** The queue, which makes the first attempts at once. Where it has room, they need no claim. */
export interface AcceptingQueue {
  /** For deliveries that are inserted now; null: they wait for a claim. */
  lease(): Lease | null;
  /** Attempts deliveries that were inserted with a lease; call after their commit. */
  take(deliveries: readonly Delivery[]): void;
  /** Claims what is due. */
  wake(): void;
}

/** Cold mail of a throttled workspace: one a minute for each mailbox. */
const THROTTLED_GAP_MS = MINUTE;

/** @param send has passed the gate in this transaction */
export const accept = async (needs: AcceptNeeds, tx: Tx, send: KnownSend, mail: PreparedMessage): Promise<void> => {
  const { fields } = mail;
  const {
    sender: { agent, workspace },
    now,
  } = send;
  const { mailboxId } = agent;
  // Before the recipients are inserted as correspondents.
  const isCold = await isColdToTripwires(send, tx.db);
  const recipients = recipientsOf(fields).map(({ address }) => address);
  const [createdAt] = await Promise.all([
    storeMessage(needs, tx, send, mail),
    recordAct(needs, tx, send, fields, recipients),
  ]);

  const isThrottled = workspace.sendingState === 'throttled' && send.sendClass === 'cold';
  const dueAt = isThrottled ? await reserveColdSlot(tx, mailboxId, now, THROTTLED_GAP_MS) : now;
  const { messageId, from } = fields;
  const { queue } = needs;
  const lease = dueAt > now ? null : queue.lease();
  const deliveries = await insertDeliveries(
    tx,
    recipients.map((address) => ({
      id: needs.newId<'delivery'>(),
      messageId,
      mailboxId,
      address,
      domain: domainOf(address),
    })),
    now,
    dueAt,
    lease,
  );
  tx.afterCommit(() => {
    for (const { id, address: to } of deliveries) {
      const about = { message_id: messageId, delivery_id: id, from: from.address, to };
      needs.mailLog.record({ mail: 'queued', reason: 'to_send', ...about });
    }
  });

  const { sendClass } = send;
  await addUsage(tx, { workspaceId: workspace.id, mailboxId }, now, {
    units: UNITS_OF[sendClass],
    cold: sendClass === 'cold' ? 1 : 0,
  });
  await addOutcomes(tx, workspace.id, now, { sent: recipients.length });
  if (isCold) {
    await addColdSend(tx, mailboxId, now);
    const hash = Buffer.from(fields.bodyHash, 'hex');
    await addBodyRecipients(tx, mailboxId, hash, recipients.map(addressKey), now);
  }
  for (const address of recipients.map(addressKey)) {
    await insertCorrespondent(tx, mailboxId, address, createdAt);
    await clearUnauthenticatedSender(tx, mailboxId, address);
  }
  tx.afterCommit(() => (lease ? queue.take(deliveries) : queue.wake()));
};

/** The instance's own notices are no act of an agent. */
const recordAct = async (
  { activity }: AcceptNeeds,
  tx: Tx,
  { sender: { agent, workspace }, sendClass }: KnownSend,
  { messageId, via = 'daemon', credential }: PreparedMessage['fields'],
  recipients: readonly Address[],
): Promise<void> => {
  if (workspace.hidden) return;
  await activity.record(tx, {
    workspaceId: workspace.id,
    actor: agent.handle,
    action: sendClass === 'reply' ? 'message.reply' : 'message.send',
    via,
    subject: recipients[0] ?? '',
    detail: { message_id: messageId, recipients: recipients.length, ...credential },
  });
};

/** @returns the message's time */
const storeMessage = async (
  { events, clock, newId }: AcceptNeeds,
  tx: Tx,
  { sender: { agent }, sendClass }: KnownSend,
  { fields, mime, size, packedText, approvedDigest }: PreparedMessage,
): Promise<Millis> => {
  const { mailboxId, workspaceId } = agent;
  const { messageId, from, to, cc, replyTo = [], subject, snippet } = fields;
  const message = {
    id: messageId,
    mailboxId,
    thread: { known: fields.threadId, orNew: newId<'thread'>() },
    direction: 'out' as const,
    from,
    to,
    cc,
    replyTo,
    subject,
    baseSubject: baseSubject(subject),
    snippet,
    body: fields.text,
    ...(packedText && { packedText }),
    spamVerdict: null,
    authentication: null,
    doubtful: false,
    rfcMessageId: fields.rfcMessageId,
    inReplyTo: fields.inReplyTo,
    references: fields.references,
    automatic: false,
    sendClass,
    attachments: fields.attachments,
    defects: [],
    openToken: fields.openToken,
    via: fields.via ?? null,
    sentBy: fields.sentBy ?? null,
    ...(approvedDigest && { approvedDigest }),
    rawId: await insertRawMessage(tx, { mime, size }),
  };
  const { threadId, createdAt } = await fileMessage(tx, message, clock.now());
  await events.publish(tx, {
    name: 'message.sent',
    workspaceId,
    mailboxId,
    data: {
      message_id: messageId,
      thread_id: threadId,
      to: to.map(formatNamed),
      subject,
      send_class: sendClass,
      ...(fields.sentBy && { sent_by: fields.sentBy }),
    },
  });
  return createdAt;
};
