/**
 * Composes the DSN of a failed delivery (RFC 3464) and files it into the sender's own mailbox, in the thread of the
 * message. Filed in the transaction that records the outcome, not sent: it passes no gate, counts to no quota and
 * cannot bounce.
 */

import type { BounceType, Failure } from '../../config/bounce-rules.ts';
import { publishReceived } from '../../events/message-received.ts';
import type { Events } from '../../events/publish-events.ts';
import { type NamedAddress, parseAddress } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { NewId } from '../../kernel/ids.ts';
import { baseSubject, replyReferences } from '../../mail/compose/reply-fields.ts';
import { composeDsn } from '../../mail/dsn/compose-dsn.ts';
import { headerSection } from '../../mail/header/header-section.ts';
import { fileMessage } from '../../store/mail/file-message.ts';
import type { StoredMessage } from '../../store/mail/messages.ts';
import { findRawStart, insertRawMessage } from '../../store/mail/raw-messages.ts';
import type { Tx } from '../../store/store.ts';
import { compress, decompressStart, FIRST_BLOCK } from '../../workers/compression.ts';
import type { AttemptOutcome } from '../queue/attempt-outcome.ts';
import type { SentMail } from './delivery-end.ts';

export interface DsnNeeds {
  events: Events;
  newId: NewId;
  /** The reporting MTA, and the domain of the DSN's sender. */
  hostname: string;
}

export type GivenUp = Pick<AttemptOutcome, 'code' | 'enhancedCode' | 'response' | 'remoteHost'> & {
  failure: Failure;
};

const MAX_SUBJECT = 900;

const MEANING: Record<BounceType, string> = {
  permanent: 'There is no mailbox at this address. No more mail goes to it until the suppression is lifted.',
  blocked: 'The mail was refused, not the address. No more mail goes to it for 24 hours.',
  expired: 'It could not be delivered in time, or the mailbox is full. No more mail goes to it for 24 hours.',
};
const MAY_PASS = 'The domain takes no mail now. No more mail goes to this address for 24 hours.';
const THIS_MAIL_ALONE = 'This mail alone was not taken. Other mail to the address is sent as before.';
const BY_THIS_INSTANCE =
  'The address is on this server, which suppresses none of its own: the next mail is tried anew.';

/** Enhanced codes (RFC 3463) where no host gave one. */
const STATUS: Record<BounceType, string> = { permanent: '5.1.1', blocked: '5.7.1', expired: '5.4.7' };

const meaningOf = ({ type, suppresses, mayPass }: Failure): string =>
  mayPass ? MAY_PASS : suppresses ? MEANING[type] : THIS_MAIL_ALONE;

const composeText = (
  { delivery, message }: SentMail,
  { code, response, remoteHost, failure }: GivenUp,
  hostname: string,
): string => {
  // A reply without a remote host is that of the instance's own pipeline.
  const isOwn = code !== null && remoteHost === null;
  const host = isOwn ? hostname : remoteHost;
  return [
    'This mail could not be delivered, and is not tried again:',
    '',
    `  To: ${delivery.address}`,
    `  Subject: ${message.subject}`,
    '',
    host === null ? 'Why:' : `${host} said:`,
    '',
    ...response.split('\n').map((line) => `  ${line}`),
    '',
    isOwn ? BY_THIS_INSTANCE : meaningOf(failure),
    '',
  ].join('\n');
};

/** The header of the failed message; null where its bytes are gone. */
const readHeader = async (tx: Tx, { rawId }: StoredMessage): Promise<Buffer | null> => {
  const start = await findRawStart(tx.db, rawId, FIRST_BLOCK);
  return start && headerSection(decompressStart(start));
};

export const fileDsn = async (
  { events, newId, hostname }: DsnNeeds,
  tx: Tx,
  sent: SentMail,
  givenUp: GivenUp,
  now: Millis,
): Promise<void> => {
  const address = parseAddress(`mailer-daemon@${hostname}`);
  // Mail of the instance's own workspaces (notices, reports) gets none.
  if (!address || sent.workspace.hidden) return;
  const { message, agent, delivery } = sent;
  const { mailboxId, workspaceId } = agent;
  const from = { name: 'Mail delivery', address };
  const to: NamedAddress = { name: agent.displayName, address: agent.address };
  const id = newId<'message'>();
  const subject = `Undeliverable: ${message.subject}`.slice(0, MAX_SUBJECT).trim();
  const text = composeText(sent, givenUp, hostname);
  const rfcMessageId = `<${id}@${hostname}>`;
  const inReplyTo = message.rfcMessageId;
  const references = replyReferences(inReplyTo, message.references);
  const { raw, snippet } = composeDsn({
    from,
    to: agent.address,
    subject,
    date: now,
    messageId: rfcMessageId,
    inReplyTo,
    references,
    text,
    reportingMta: hostname,
    arrivedAt: delivery.createdAt,
    recipient: delivery.address,
    status: givenUp.enhancedCode ?? STATUS[givenUp.failure.type],
    remoteMta: givenUp.remoteHost,
    diagnostic: givenUp.code === null ? null : givenUp.response,
    lastAttemptAt: now,
    header: await readHeader(tx, message),
  });
  const dsn = {
    id,
    mailboxId,
    thread: { known: message.threadId, orNew: newId<'thread'>() },
    direction: 'in' as const,
    from,
    to: [to],
    cc: [],
    replyTo: [],
    subject,
    baseSubject: baseSubject(subject),
    snippet,
    body: text,
    spamVerdict: 'PASS' as const,
    // Composed by this instance, so the author is known, as with all mail that did not arrive by SMTP.
    authentication: { spf: 'pass', dkim: 'pass', dmarc: 'pass', arc: 'none', from_domain: hostname, aligned: true },
    doubtful: false,
    rfcMessageId,
    inReplyTo,
    references,
    automatic: true,
    sendClass: null,
    attachments: [],
    defects: [],
    rawId: await insertRawMessage(tx, { mime: compress(raw), size: raw.length }),
  };
  const { threadId } = await fileMessage(tx, dsn, now);
  await publishReceived(events, tx, { message: dsn, threadId, workspaceId, mailbox: agent.address });
};
