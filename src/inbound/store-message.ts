/** Stores a mail in one transaction: the raw bytes once, a message in each accepting mailbox, and its consequences. */

import { publishReceived } from '../events/message-received.ts';
import type { Events } from '../events/publish-events.ts';
import {
  type Address,
  addressKey,
  formatNamed,
  isMisleading,
  localPartOf,
  type NamedAddress,
} from '../kernel/address.ts';
import type { Clock } from '../kernel/clock.ts';
import type { DeliveryId, MailboxId, MessageId, NewId, ThreadId } from '../kernel/ids.ts';
import type { MailReport } from '../mail/dsn/mail-report.ts';
import { isReturnPath } from '../mail/dsn/return-path.ts';
import type { MailLog } from '../mail-log/mail-log.ts';
import type { Recipient } from '../store/accounts/recipient-lookup.ts';
import { insertHeardFrom } from '../store/mail/correspondents.ts';
import { fileMessage } from '../store/mail/file-message.ts';
import { toKeptBytes } from '../store/mail/kept-bytes.ts';
import { findMessage } from '../store/mail/messages.ts';
import { insertRawMessage } from '../store/mail/raw-messages.ts';
import { findDelivery } from '../store/sending/deliveries.ts';
import { addMailDay } from '../store/sending/mail-days.ts';
import type { Db, Tx } from '../store/store.ts';
import type { VerifiedMessage } from '../workers/tasks.ts';
import { type Arrival, hasNullSender, type ResolvedRecipient } from './arrival.ts';
import { findThreadFor } from './find-thread.ts';
import { applyIdentityFilter, type FilterResult } from './identity-filter.ts';
import { messageFields } from './message-fields.ts';
import type { SpamVerdict } from './spam-verdict.ts';
import { insertUnauthenticatedSenders, isUnauthenticated } from './unauthenticated-senders.ts';

export interface StoreNeeds {
  /** Forwards role mail to the domain's owner; runs in the transaction that stores it. */
  onRoleMail: (tx: Tx, mail: RoleMail) => Promise<void>;
  /** Processes a report on a delivery; runs in the transaction that stores it. */
  onReport: (tx: Tx, deliveryId: DeliveryId, report: MailReport) => Promise<void>;
  events: Events;
  mailLog: MailLog;
  clock: Clock;
  newId: NewId;
}

/** A verified message with what inbound policy derived. */
export interface InboundMessage {
  arrival: Arrival;
  mail: VerifiedMessage;
  from: NamedAddress;
  /** By its own authentication or an ARC override. */
  isAligned: boolean;
  verdict: SpamVerdict;
}

/** A stored mail to postmaster or abuse, for the owner of the domain. */
export interface RoleMail {
  address: Address;
  ownerEmail: string;
  from: NamedAddress;
  subject: string;
  mailboxId: MailboxId;
  messageId: MessageId;
}

/** RFC 7489 section 7.2.1.1 and RFC 8460 section 5.3; a forwarded mail's own subject begins otherwise, so that none loops. */
const REPORT_SUBJECT = /^Report Domain:/i;

/**
 * Automatic mail is not forwarded, other than reports and complaints (RFC 5965): two instances forwarding each other's
 * would loop.
 */
const forward = async (
  { onRoleMail }: StoreNeeds,
  tx: Tx,
  { arrival, mail, from }: InboundMessage,
  { address, ownerEmail, takesReports, recipient: { mailboxId } }: ResolvedRecipient & { kind: 'role' },
  messageId: MessageId,
): Promise<void> => {
  const isReport = takesReports === true && REPORT_SUBJECT.test(mail.subject);
  const isAutomatic = (mail.automatic && !isReport) || hasNullSender(arrival);
  if (ownerEmail === null || (isAutomatic && mail.report?.kind !== 'feedback')) return;
  await onRoleMail(tx, { address, ownerEmail, from, subject: mail.subject, mailboxId, messageId });
};

interface FilteredMessage extends InboundMessage {
  /** The result of each recipient that has a filter. */
  filterResults: ReadonlyMap<ResolvedRecipient, FilterResult>;
}

/** Asked before the transaction, which all others wait for. @throws SmtpError 451 */
export const filterRecipients = async (read: Db, message: InboundMessage): Promise<FilteredMessage> => {
  const { arrival, mail, from, isAligned } = message;
  const filterResults = new Map<ResolvedRecipient, FilterResult>();
  for (const resolved of arrival.recipients) {
    if (resolved.kind !== 'mailbox') continue;
    const checked = { authentication: mail.authentication, isAligned };
    filterResults.set(resolved, await applyIdentityFilter(read, resolved.recipient, from.address, checked));
  }
  return { ...message, filterResults };
};

/** @returns the number of recipients that have taken it */
export const storeMessage = async (needs: StoreNeeds, tx: Tx, message: FilteredMessage): Promise<number> => {
  let rawId: number | null = null;
  let stored = 0;
  for (const resolved of message.arrival.recipients) {
    const result = message.filterResults.get(resolved) ?? 'accepted';
    if (result !== 'accepted') {
      await publishFiltered(needs, tx, message, resolved, result);
      recordReceived(needs, tx, message, resolved, null);
      continue;
    }
    stored += 1;
    // The text of a report is an outsider's: for an agent that is suspended or has a full mailbox only its result is kept.
    if (resolved.kind !== 'return-path' || (resolved.recipient.status === 'active' && !resolved.isFull)) {
      rawId ??= await insertRawMessage(tx, { mime: message.mail.mime, size: message.mail.size });
      const id = await storeInMailbox(needs, tx, message, resolved, rawId);
      recordReceived(needs, tx, message, resolved, id);
      if (resolved.kind === 'role') await forward(needs, tx, message, resolved, id);
    }
    if (resolved.kind === 'return-path' && message.mail.report) {
      await needs.onReport(tx, resolved.deliveryId, message.mail.report);
    }
  }
  return stored;
};

/** @param id null where the identity filter dropped it */
const recordReceived = (
  { mailLog }: StoreNeeds,
  tx: Tx,
  { arrival: { envelope }, verdict }: InboundMessage,
  { recipient }: ResolvedRecipient,
  id: MessageId | null,
): void => {
  const isLocal = envelope.kind === 'local';
  tx.afterCommit(() =>
    mailLog.record({
      mail: 'received',
      reason: id === null ? 'filtered' : verdict === 'FAIL' ? 'quarantined' : 'accepted',
      message_id: id,
      mailbox: recipient.address,
      from: envelope.mailFrom,
      peer: isLocal ? null : envelope.ip,
      session: isLocal ? null : envelope.sessionId,
    }),
  );
};

const publishFiltered = (
  { events }: StoreNeeds,
  tx: Tx,
  { mail, from }: InboundMessage,
  { recipient }: ResolvedRecipient,
  reason: Exclude<FilterResult, 'accepted'>,
): Promise<void> =>
  events.publish(tx, {
    name: 'message.filtered',
    workspaceId: recipient.workspaceId,
    mailboxId: recipient.mailboxId,
    data: {
      mailbox: recipient.address,
      from: formatNamed(from),
      subject: mail.subject,
      reason,
      filter_mode: recipient.filterMode,
    },
  });

const storeInMailbox = async (
  { events, clock, newId }: StoreNeeds,
  tx: Tx,
  { mail, from, isAligned, verdict, arrival }: InboundMessage,
  resolved: ResolvedRecipient,
  rawId: number,
): Promise<MessageId> => {
  const { recipient } = resolved;
  const { mailboxId, workspaceId } = recipient;
  const now = clock.now();
  const id = newId<'message'>();
  const { spf, dkim, dmarc, arc, fromDomain } = mail.authentication;
  const authentication = { spf, dkim, dmarc, arc, from_domain: fromDomain, aligned: isAligned };
  const doubtful = isUnauthenticated({ authentication, spamVerdict: verdict }) || isMisleading(from.address);
  const message = {
    id,
    mailboxId,
    thread: { known: await findThread(tx, resolved, mail, from, now), orNew: newId<'thread'>() },
    direction: 'in' as const,
    from,
    ...messageFields(mail),
    to: toMailboxAddress(mail.to, resolved),
    spamVerdict: verdict,
    authentication,
    doubtful,
    automatic: mail.automatic || hasNullSender(arrival),
    defects: mail.defects,
    rawId,
  };
  const { threadId } = await fileMessage(tx, message, now);
  await addMailDay(tx, { workspaceId, mailboxId }, now, { received: 1, bytes: toKeptBytes(mail.mime) });
  if (doubtful) await insertUnauthenticatedSenders(tx, mailboxId, mail, from);
  // Reports and unauthenticated mail do not make their sender a correspondent.
  const isCorrespondence = resolved.kind !== 'return-path' && isAligned && verdict !== 'FAIL';
  if (isCorrespondence) await insertHeardFrom(tx, mailboxId, addressKey(from.address));
  await publishReceived(events, tx, { message, threadId, workspaceId, mailbox: recipient.address });
  return id;
};

/** An automatic answer names the return path that it goes to: the mailbox under an address that no reply may go to. */
const toMailboxAddress = (to: NamedAddress[], resolved: ResolvedRecipient): NamedAddress[] => {
  if (resolved.kind !== 'return-path' && !(resolved.kind === 'mailbox' && resolved.viaReturnPath)) return to;
  const { address: own } = resolved.recipient;
  return to.map((each) => (isReturnPath(localPartOf(each.address)) ? { ...each, address: own } : each));
};

/** A report joins the thread of the message that it is about. */
const findThread = async (
  tx: Tx,
  resolved: ResolvedRecipient,
  mail: VerifiedMessage,
  from: NamedAddress,
  now: number,
): Promise<ThreadId | null> => {
  const { recipient } = resolved;
  if (resolved.kind === 'return-path') {
    const sent = await sentMessage(tx, recipient, resolved.deliveryId);
    if (sent) return sent.threadId;
  }
  return findThreadFor(tx.db, recipient.mailboxId, mail, from.address, now);
};

const sentMessage = async (tx: Tx, { mailboxId }: Recipient, deliveryId: Parameters<typeof findDelivery>[1]) => {
  const delivery = await findDelivery(tx.db, deliveryId);
  return delivery && findMessage(tx.db, mailboxId, delivery.messageId as MessageId);
};
