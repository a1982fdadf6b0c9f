/** All that a 200 promises, in one transaction: the mail, its queue rows, what is counted, and the event. */

import type { Events } from '../../events/publish-events.ts';
import { addressKey, domainOf, formatNamed } from '../../kernel/address.ts';
import { type Clock, MINUTE } from '../../kernel/clock.ts';
import type { NewId } from '../../kernel/ids.ts';
import { baseSubject } from '../../mail/compose/reply-fields.ts';
import { reserveColdSlot } from '../../store/accounts/agents.ts';
import { clearDoubtedSender, insertCorrespondent } from '../../store/mail/correspondents.ts';
import { insertMessage, nextMessageTime } from '../../store/mail/messages.ts';
import { insertRawMessage } from '../../store/mail/raw-messages.ts';
import { joinOrBeginThread } from '../../store/mail/threads.ts';
import { insertDeliveries } from '../../store/sending/deliveries.ts';
import { addBodyRecipients, addColdSend } from '../../store/sending/tripwires.ts';
import { addUsage } from '../../store/sending/usage.ts';
import type { Tx } from '../../store/store.ts';
import type { KnownSend } from './gate-check.ts';
import { type OutgoingMail, recipientsOf } from './prepare-message.ts';
import { UNITS_OF } from './quota-checks.ts';
import { isColdToTripwires } from './tripwire-checks.ts';

export interface AcceptNeeds {
  events: Events;
  clock: Clock;
  newId: NewId;
  /** Told once a send is on disk, so that its first attempt is made at once. */
  wakeQueue: () => void;
}

/** A throttled workspace's cold mail leaves at one a minute. */
const THROTTLED_GAP_MS = MINUTE;

/** @param send passed the gate in this transaction */
export const accept = async (needs: AcceptNeeds, tx: Tx, send: KnownSend, mail: OutgoingMail): Promise<void> => {
  const { outgoing } = mail;
  const { agent, workspace } = send.sender;
  const { mailboxId } = agent;
  // Before the recipients become acquaintances.
  const isCold = await isColdToTripwires(send, tx.db);
  const createdAt = await nextMessageTime(tx, mailboxId, needs.clock.now());
  await storeMessage(needs, tx, send, mail, createdAt);

  const recipients = recipientsOf(outgoing).map(({ address }) => address);
  const isSlowed = workspace.sendingState === 'throttled' && send.sendClass === 'cold';
  const dueAt = isSlowed ? await reserveColdSlot(tx, mailboxId, createdAt, THROTTLED_GAP_MS) : createdAt;
  await insertDeliveries(
    tx,
    recipients.map((address) => ({
      id: needs.newId<'delivery'>(),
      messageId: outgoing.messageId,
      mailboxId,
      address,
      domain: domainOf(address),
    })),
    createdAt,
    dueAt,
  );

  const { sendClass } = send;
  await addUsage(tx, [workspace.id, mailboxId], send.now, {
    units: UNITS_OF[sendClass],
    cold: sendClass === 'cold' ? 1 : 0,
  });
  if (isCold) {
    await addColdSend(tx, mailboxId, send.now);
    const hash = Buffer.from(outgoing.bodyHash, 'hex');
    await addBodyRecipients(tx, mailboxId, hash, recipients.map(addressKey), send.now);
  }
  for (const address of recipients.map(addressKey)) {
    await insertCorrespondent(tx, mailboxId, address, createdAt);
    await clearDoubtedSender(tx, mailboxId, address);
  }
  tx.afterCommit(needs.wakeQueue);
};

const storeMessage = async (
  { events, newId }: AcceptNeeds,
  tx: Tx,
  { sender: { agent }, sendClass }: KnownSend,
  { outgoing, mime, size }: OutgoingMail,
  createdAt: number,
): Promise<void> => {
  const { mailboxId, workspaceId } = agent;
  const { messageId, from, to, cc, replyTo = [], subject, snippet } = outgoing;
  const entry = { subject, snippet, participants: [from, ...to, ...cc].map(formatNamed), unread: false, at: createdAt };
  const threads = { known: outgoing.threadId, orNew: newId<'thread'>() };
  const threadId = await joinOrBeginThread(tx, threads, mailboxId, baseSubject(subject), entry);
  await insertMessage(
    tx,
    {
      id: messageId,
      mailboxId,
      threadId,
      direction: 'out',
      from,
      to,
      cc,
      replyTo,
      subject,
      snippet,
      unread: false,
      archived: false,
      status: 'sent',
      spamVerdict: null,
      authentication: null,
      doubtful: false,
      rfcMessageId: outgoing.rfcMessageId,
      inReplyTo: outgoing.inReplyTo,
      references: outgoing.references,
      automatic: false,
      sendClass,
      attachments: outgoing.attachments,
      defects: [],
      openToken: outgoing.openToken ?? null,
      rawId: await insertRawMessage(tx, { mime, size }),
      createdAt,
    },
    {
      subject,
      sender: formatNamed(from),
      recipients: [...to, ...cc].map(formatNamed).join(', '),
      body: outgoing.text,
    },
  );
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
    },
  });
};
