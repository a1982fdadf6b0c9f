/** The mail that a notice comes to. */

import { formatNamed, type NamedAddress, parseNamedAddress } from '../kernel/address.ts';
import { isoTime } from '../kernel/clock.ts';
import { findAgentById } from '../store/accounts/agents.ts';
import { findRoleMailDay, type Notice } from '../store/events/notices.ts';
import { findMessage } from '../store/mail/messages.ts';
import { findRawMessage } from '../store/mail/raw-messages.ts';
import { findHeldSend, type HeldSend, type HoldReason } from '../store/sending/held-sends.ts';
import type { Db } from '../store/store.ts';

export interface NoticeMail {
  /** Role mail comes from a sender of its own: how it fares does not keep back what owners have to decide. */
  sender: 'notices' | 'role-mail';
  to: NamedAddress;
  subject: string;
  /** Markdown. */
  body: string;
  /** A mail that goes along whole, zstd-compressed; null: none. */
  attachedMime: Uint8Array | null;
}

type Words = Omit<NoticeMail, 'to'>;

/** As code, so that no word of another's mail is read as Markdown of ours. */
const code = (text: string): string => `\`${text.replace(/[`\r\n]+/g, ' ')}\``;

const REASONS: Record<HoldReason, string> = {
  agent_on_hold: 'This agent is set to have its mail reviewed.',
  thread_failed_authentication: 'It answers mail that did not authenticate: its sender may not be who it claims to be.',
  recipient_failed_authentication:
    'Mail that did not authenticate names one of the recipients: its sender may not be who it claims to be.',
};

const recipientLine = (field: string, recipients: readonly NamedAddress[]): string[] =>
  recipients.length > 0 ? [`- ${field}: ${code(recipients.map(formatNamed).join(', '))}`] : [];

const attachmentLines = ({ attachments }: HeldSend): string[] =>
  attachments.map(
    ({ filename, contentType, size }) => `- Attachment: ${code(filename)}, ${code(contentType)}, ${size} bytes`,
  );

const heldText = (pending: HeldSend, handle: string): string =>
  [
    `The agent **${handle}** wants to send a mail that waits for your decision.`,
    '',
    `- Why it waits: ${REASONS[pending.reason]}`,
    ...recipientLine('To', pending.to),
    ...recipientLine('Cc', pending.cc),
    ...recipientLine('Bcc', pending.bcc),
    ...recipientLine('Answers go to', pending.replyTo),
    `- Subject: ${code(pending.subject)}`,
    ...attachmentLines(pending),
    ...(pending.htmlText === null
      ? []
      : ['', '**Its HTML part reads differently from its text part.** `postroom pending show` has both.']),
    '',
    'It is not sent unless you release it, and is dropped after a week.',
    '',
    `    postroom pending show ${pending.id}`,
    `    postroom pending approve ${pending.id}`,
    `    postroom pending reject ${pending.id} --note "..."`,
  ].join('\n');

const webhookText = (url: string, failures: number): string =>
  `The webhook endpoint ${code(url)} has failed ${failures} times in a row and was turned off.

Events are held for 7 days and delivered once it is turned on again: an agent of the workspace does so by
\`PATCH /v1/webhooks?id=...\` with \`{"active": true}\`. What the endpoint answered is in \`GET /v1/webhooks/deliveries\`.`;

const compose = async (db: Db, notice: Notice): Promise<Words | null> => {
  switch (notice.kind) {
    case 'held': {
      const pending = await findHeldSend(db, null, notice.data.pendingId);
      if (pending?.status !== 'pending') return null;
      const handle = (await findAgentById(db, pending.agentId))?.handle ?? 'a removed agent';
      const subject = `A mail of ${handle} waits for your decision`;
      return { sender: 'notices', subject, body: heldText(pending, handle), attachedMime: null };
    }
    case 'webhook-off': {
      const body = webhookText(notice.data.url, notice.data.failures);
      return { sender: 'notices', subject: 'A webhook endpoint was turned off', body, attachedMime: null };
    }
    case 'role-mail': {
      const { address, mailboxId, messageId } = notice.data;
      const message = await findMessage(db, mailboxId, messageId);
      const raw = message && (await findRawMessage(db, message.rawId));
      if (!message || !raw) return null;
      const subject = `Mail to ${address}: ${message.subject}`;
      const body = `${code(formatNamed(message.from))} wrote to ${code(address)}. The mail is attached as it came.`;
      return { sender: 'role-mail', subject, body, attachedMime: raw.mime };
    }
    case 'role-digest': {
      const { day } = notice.data;
      const date = isoTime(day).slice(0, 10);
      const { count, withheld } = await findRoleMailDay(db, notice.ownerEmail, day);
      const lines = withheld.map(({ address, from, subject }) => `- ${code(address)}: ${code(from)}, ${code(subject)}`);
      const body = [
        `${count} mails came to postmaster and abuse addresses of yours on ${date} (UTC), more than are passed on in a day.`,
        'The first that were kept back:',
        '',
        ...lines,
      ].join('\n');
      return { sender: 'role-mail', subject: `Mail to postmaster and abuse on ${date}`, body, attachedMime: null };
    }
  }
};

/** Null where there is nothing to tell any more, or the owner's address is none. */
export const composeNotice = async (db: Db, notice: Notice): Promise<NoticeMail | null> => {
  const to = parseNamedAddress(notice.ownerEmail);
  const words = to && (await compose(db, notice));
  return to && words && { ...words, to };
};
