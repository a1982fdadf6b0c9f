/** Holding a mail for a person: when, why, and what is kept. */

import { addressKey } from '../../kernel/address.ts';
import { DAY, type Millis } from '../../kernel/clock.ts';
import type { PendingId } from '../../kernel/ids.ts';
import { hasDoubtedSender } from '../../store/mail/correspondents.ts';
import { hasDoubtSinceLastSent } from '../../store/mail/thread-messages.ts';
import { type HoldReason, insertPendingSend } from '../../store/sending/held-sends.ts';
import type { Db, Tx } from '../../store/store.ts';
import type { KnownSend } from './gate-check.ts';
import type { OutgoingMail } from './prepare-message.ts';

/** Nobody acts for a week: it is not sent. */
const HOLD_EXPIRES_AFTER_MS = 7 * DAY;

type Guard = (send: KnownSend, db: Db) => Promise<HoldReason | null> | HoldReason | null;

const agentIsOnHold: Guard = ({ sender: { agent } }) => (agent.hold ? 'agent_on_hold' : null);

/**
 * The message that is answered, or one that came into its thread since the agent last wrote there, may not be from whom it
 * says: one that authenticates lifts no doubt about another.
 */
const threadIsNotAuthentic: Guard = async ({ sender: { agent }, parent }, db) => {
  if (!agent.guard || parent === null || parent === 'missing') return null;
  const isDoubtful = parent.doubtful || (await hasDoubtSinceLastSent(db, parent.threadId));
  return isDoubtful ? 'thread_failed_authentication' : null;
};

/** A doubtful message asks for mail to one of the recipients: it need not be answered in its thread to be obeyed. */
const recipientIsNotAuthentic: Guard = async ({ sender: { agent }, recipients }, db) => {
  if (!agent.guard) return null;
  const addresses = recipients.map(({ address }) => addressKey(address));
  return (await hasDoubtedSender(db, agent.mailboxId, addresses)) ? 'recipient_failed_authentication' : null;
};

const guards: readonly Guard[] = [agentIsOnHold, threadIsNotAuthentic, recipientIsNotAuthentic];

/** The first reason to hold it, or null where it may go at once. */
export const holdReason = async (send: KnownSend, db: Db): Promise<HoldReason | null> => {
  for (const guard of guards) {
    const reason = await guard(send, db);
    if (reason) return reason;
  }
  return null;
};

export const hold = async (
  tx: Tx,
  { sender: { agent }, sendClass }: KnownSend,
  reason: HoldReason,
  mail: OutgoingMail,
  id: PendingId,
  now: Millis,
): Promise<void> => {
  const { outgoing, mime, size } = mail;
  await insertPendingSend(
    tx,
    {
      id,
      agentId: agent.id,
      mailboxId: agent.mailboxId,
      workspaceId: agent.workspaceId,
      reason,
      sendClass,
      to: outgoing.to,
      cc: outgoing.cc,
      bcc: outgoing.bcc,
      replyTo: outgoing.replyTo ?? [],
      subject: outgoing.subject,
      snippet: outgoing.snippet,
      attachments: outgoing.attachments,
      htmlText: mail.htmlText,
      createdAt: now,
      expiresAt: now + HOLD_EXPIRES_AFTER_MS,
    },
    { outgoing: JSON.stringify(outgoing), mime, size },
  );
};
