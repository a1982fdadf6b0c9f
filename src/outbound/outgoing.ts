/** A mail that is ready to go: its bytes are made, and what its row will say is known. */

import { createHash } from 'node:crypto';
import { addressKey, domainOf, type NamedAddress } from '../kernel/address.ts';
import type { Millis } from '../kernel/clock.ts';
import type { MessageId, ThreadId } from '../kernel/ids.ts';
import { replyReferences } from '../mail/reply.ts';
import type { StoredMessage } from '../store/messages.ts';
import type { WorkerPool } from '../workers/pool.ts';
import type { Sender } from './check.ts';
import type { SendRequest } from './send-request.ts';

/** Survives JSON: a held mail is kept in this form. */
export interface Outgoing {
  messageId: MessageId;
  /** With its angle brackets; the same for every attempt, so that a repeated delivery is seen as one. */
  rfcMessageId: string;
  inReplyTo: string | null;
  references: string[];
  from: NamedAddress;
  to: NamedAddress[];
  cc: NamedAddress[];
  bcc: NamedAddress[];
  subject: string;
  snippet: string;
  text: string;
  attachments: { filename: string; contentType: string; size: number }[];
  sendClass: 'reply' | 'cold';
  /** The thread that it joins, if that is still there. */
  threadId: ThreadId | null;
  /** Of the words without case, space and digits, in hex: the duplicate tripwire compares these. */
  bodyHash: string;
}

export interface OutgoingMail {
  outgoing: Outgoing;
  /** zstd. */
  mime: Uint8Array;
  size: number;
}

/** The recipients, each once, in the order given. */
export const recipientsOf = ({ to, cc, bcc = [] }: Pick<SendRequest, 'to' | 'cc' | 'bcc'>): NamedAddress[] => {
  const seen = new Set<string>();
  return [...to, ...cc, ...bcc].filter(({ address }) => {
    const key = addressKey(address);
    return !seen.has(key) && seen.add(key);
  });
};

export const parentOf = ({ parent }: Pick<SendRequest, 'parent'>): StoredMessage | null =>
  parent === 'missing' ? null : parent;

/** What differs from copy to copy of a mass mailing: space, case, numbers. */
const bodyHashOf = (text: string): string =>
  createHash('sha256')
    .update(text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').replace(/\d+/g, '0').trim())
    .digest('hex');

const referencesOf = (parent: StoredMessage | null): { inReplyTo: string | null; references: string[] } =>
  parent?.rfcMessageId
    ? { inReplyTo: parent.rfcMessageId, references: replyReferences(parent.rfcMessageId, parent.references) }
    : { inReplyTo: null, references: [] };

export interface PrepareNeeds {
  workers: WorkerPool;
  publicUrl: string;
}

/** Has the bytes made in a worker thread. */
export const prepare = async (
  { workers, publicUrl }: PrepareNeeds,
  request: SendRequest,
  { agent }: Sender,
  messageId: MessageId,
  now: Millis,
): Promise<OutgoingMail> => {
  const { content, to, cc, bcc = [] } = request;
  const parent = parentOf(request);
  const from = { name: agent.displayName, address: agent.address };
  const rfcMessageId = `<${messageId}@${domainOf(agent.address)}>`;
  const own = {
    messageId,
    sendClass: parent ? ('reply' as const) : ('cold' as const),
    threadId: parent?.threadId ?? null,
  };
  if (content.kind === 'raw') {
    const mail = await workers.run({ kind: 'adopt', raw: content.raw, messageId: rfcMessageId, date: now });
    const { inReplyTo, references, subject, snippet, text, attachments } = mail;
    const outgoing = {
      ...own,
      rfcMessageId: mail.messageId,
      inReplyTo,
      references,
      from: mail.from[0] ?? from,
      to,
      cc,
      bcc,
      subject,
      snippet,
      text,
      attachments,
      bodyHash: bodyHashOf(text),
    };
    return { outgoing, mime: mail.mime, size: mail.size };
  }
  const threading = referencesOf(parent);
  const draft = {
    from,
    to,
    cc,
    subject: content.subject,
    body: content.body,
    ...(content.html !== undefined && { html: content.html }),
    date: now,
    messageId: rfcMessageId,
    ...threading,
    attachments: content.attachments,
    ...(content.automatic && { headers: [{ name: 'Auto-Submitted', value: 'auto-generated' }] }),
  };
  const pixelUrl = content.trackOpens ? `${publicUrl}/o/${messageId}.gif` : null;
  const { mime, size, subject, snippet, text, attachments } = await workers.run({ kind: 'compose', draft, pixelUrl });
  const outgoing = {
    ...own,
    rfcMessageId,
    ...threading,
    from,
    to,
    cc,
    bcc,
    subject,
    snippet,
    text,
    attachments,
    bodyHash: bodyHashOf(text),
  };
  return { outgoing, mime, size };
};
