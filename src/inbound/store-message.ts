/** One transaction: the bytes once, a row in the mailbox of every recipient that wants it, and what follows from each. */

import type { Events } from '../events/publish-events.ts';
import { type Address, addressKey, formatNamed, type NamedAddress } from '../kernel/address.ts';
import type { Clock } from '../kernel/clock.ts';
import type { DeliveryId, MailboxId, MessageId, NewId, ThreadId } from '../kernel/ids.ts';
import { isDoubtful } from '../mail/auth/doubt.ts';
import type { MailReport } from '../mail/dsn/mail-report.ts';
import type { Recipient } from '../store/accounts/recipient-lookup.ts';
import { insertDoubtedSender, insertHeardFrom } from '../store/mail/correspondents.ts';
import { findMessage, insertMessage, nextMessageTime } from '../store/mail/messages.ts';
import { insertRawMessage } from '../store/mail/raw-messages.ts';
import { joinOrBeginThread } from '../store/mail/threads.ts';
import { findDelivery } from '../store/sending/deliveries.ts';
import type { Tx } from '../store/store.ts';
import type { Examined } from '../workers/tasks.ts';
import { type Arrival, type Destination, hasNullSender } from './arrival.ts';
import { findThreadFor } from './find-thread.ts';
import { applyIdentityFilter } from './identity-filter.ts';
import type { SpamVerdict } from './spam-verdict.ts';

interface StoreNeeds {
  /** Has the owner of a domain sent its role mail too; written in the transaction that stores it. */
  onRoleMail: (tx: Tx, mail: RoleMail) => Promise<void>;
  /** Does what a report says of a delivery of ours, in the transaction that stores the report. */
  onReport: (tx: Tx, deliveryId: DeliveryId, report: MailReport) => Promise<void>;
  events: Events;
  clock: Clock;
  newId: NewId;
}

export interface Judged {
  arrival: Arrival;
  mail: Examined;
  from: NamedAddress;
  /** By its own checks, or by a forwarder's that the operator trusts. */
  isAligned: boolean;
  verdict: SpamVerdict;
}

/** A mail asks for answers at one address or two; every one of these is a row. */
const MAX_REPLY_TO = 20;

/** A mail to postmaster or abuse that was stored, for the owner of the domain. */
export interface RoleMail {
  address: Address;
  ownerEmail: string;
  from: NamedAddress;
  subject: string;
  mailboxId: MailboxId;
  messageId: MessageId;
}

/** What a machine wrote is kept and not passed on: two boxes that pass on each other's would never end. */
const passOn = async (
  { onRoleMail }: StoreNeeds,
  tx: Tx,
  { arrival, mail, from }: Judged,
  { address, ownerEmail, recipient: { mailboxId } }: Destination & { kind: 'role' },
  messageId: MessageId,
): Promise<void> => {
  if (ownerEmail === null || mail.automatic || hasNullSender(arrival)) return;
  await onRoleMail(tx, { address, ownerEmail, from, subject: mail.subject, mailboxId, messageId });
};

/** @returns in how many mailboxes it stands now */
export const storeFor = async (needs: StoreNeeds, tx: Tx, judged: Judged): Promise<number> => {
  let rawId: number | null = null;
  let stored = 0;
  for (const destination of judged.arrival.destinations) {
    if (!(await isWanted(needs, tx, judged, destination))) continue;
    rawId ??= await insertRawMessage(tx, { mime: judged.mail.mime, size: judged.mail.size });
    const id = await storeInMailbox(needs, tx, judged, destination, rawId);
    if (destination.kind === 'return-path' && judged.mail.report) {
      await needs.onReport(tx, destination.deliveryId, judged.mail.report);
    }
    if (destination.kind === 'role') await passOn(needs, tx, judged, destination, id);
    stored += 1;
  }
  return stored;
};

const isWanted = async (
  { events }: StoreNeeds,
  tx: Tx,
  { mail, from, isAligned }: Judged,
  { kind, recipient }: Destination,
): Promise<boolean> => {
  if (kind !== 'mailbox') return true;
  const result = await applyIdentityFilter(tx.db, recipient, from.address, {
    authentication: mail.authentication,
    isAligned,
  });
  if (result === 'accepted') return true;
  await events.publish(tx, {
    name: 'message.filtered',
    workspaceId: recipient.workspaceId,
    mailboxId: recipient.mailboxId,
    data: {
      mailbox: recipient.address,
      from: formatNamed(from),
      subject: mail.subject,
      reason: result,
      filter_mode: recipient.filterMode,
    },
  });
  return false;
};

const storeInMailbox = async (
  { events, clock, newId }: StoreNeeds,
  tx: Tx,
  { mail, from, isAligned, verdict, arrival }: Judged,
  destination: Destination,
  rawId: number,
): Promise<MessageId> => {
  const { recipient } = destination;
  const { mailboxId, workspaceId } = recipient;
  const createdAt = await nextMessageTime(tx, mailboxId, clock.now());
  const id = newId<'message'>();
  const entry = {
    subject: mail.subject,
    snippet: mail.snippet,
    participants: [from, ...mail.to, ...mail.cc].map(formatNamed),
    unread: true,
    at: createdAt,
  };
  const known = await threadOf(tx, destination, mail, from, createdAt);
  const threads = { known, orNew: newId<'thread'>() };
  const threadId = await joinOrBeginThread(tx, threads, mailboxId, mail.baseSubject, entry);
  const { spf, dkim, dmarc, arc, fromDomain } = mail.authentication;
  const authentication = { spf, dkim, dmarc, arc, from_domain: fromDomain, aligned: isAligned };
  const doubtful = isDoubtful({ authentication, spamVerdict: verdict });
  await insertMessage(
    tx,
    {
      id,
      mailboxId,
      threadId,
      direction: 'in',
      from,
      to: mail.to,
      cc: mail.cc,
      replyTo: mail.replyTo,
      subject: mail.subject,
      snippet: mail.snippet,
      unread: true,
      archived: false,
      status: 'received',
      spamVerdict: verdict,
      authentication,
      doubtful,
      rfcMessageId: mail.messageId,
      inReplyTo: mail.inReplyTo,
      references: mail.references,
      automatic: mail.automatic || hasNullSender(arrival),
      sendClass: null,
      attachments: mail.attachments,
      defects: mail.defects,
      rawId,
      createdAt,
    },
    {
      subject: mail.subject,
      sender: formatNamed(from),
      recipients: [...mail.to, ...mail.cc].map(formatNamed).join(', '),
      body: mail.text,
    },
  );
  if (doubtful) await doubtSenders(tx, mailboxId, mail, from);
  // A report is no letter to the agent, whoever it says it is from; nor is a letter one of whom it cannot be shown to be.
  const isHeard = destination.kind !== 'return-path' && isAligned && verdict !== 'FAIL';
  if (isHeard) await insertHeardFrom(tx, mailboxId, addressKey(from.address));
  await events.publish(tx, {
    name: 'message.received',
    workspaceId,
    mailboxId,
    data: {
      message_id: id,
      thread_id: threadId,
      mailbox: recipient.address,
      from: formatNamed(from),
      subject: mail.subject,
      snippet: mail.snippet,
      spam_verdict: verdict,
    },
  });
  return id;
};

/** Whom an answer to a doubtful mail would go to: its author, and where its author asks for answers. */
const doubtSenders = async (tx: Tx, mailboxId: MailboxId, { replyTo }: Examined, from: NamedAddress): Promise<void> => {
  const claimed = [from, ...replyTo.slice(0, MAX_REPLY_TO)].map(({ address }) => addressKey(address));
  for (const address of new Set(claimed)) await insertDoubtedSender(tx, mailboxId, address);
};

/** What comes to a return path is about one delivery, and stands in the thread of what was delivered. */
const threadOf = async (
  tx: Tx,
  destination: Destination,
  mail: Examined,
  from: NamedAddress,
  now: number,
): Promise<ThreadId | null> => {
  const { recipient } = destination;
  if (destination.kind === 'return-path') {
    const sent = await sentMessage(tx, recipient, destination.deliveryId);
    if (sent) return sent.threadId;
  }
  return findThreadFor(tx.db, recipient.mailboxId, mail, from.address, now);
};

const sentMessage = async (tx: Tx, { mailboxId }: Recipient, deliveryId: Parameters<typeof findDelivery>[1]) => {
  const delivery = await findDelivery(tx.db, deliveryId);
  return delivery && findMessage(tx.db, mailboxId, delivery.messageId as MessageId);
};
