/** A mail that is ready to go: its bytes are made, and what its row will say is known. */

import { createHash } from 'node:crypto';
import type { Occupant } from '../../budget/occupant.ts';
import { addressKey, domainOf, type NamedAddress } from '../../kernel/address.ts';
import type { Millis, RandomBytes } from '../../kernel/clock.ts';
import type { MessageId, ThreadId } from '../../kernel/ids.ts';
import { replyReferences } from '../../mail/compose/reply-fields.ts';
import type { StoredAttachment, StoredMessage } from '../../store/mail/messages.ts';
import type { WorkerPool } from '../../workers/worker-pool.ts';
import type { Sender } from './gate-check.ts';
import type { SendContent, SendRequest } from './send-request.ts';

/** Survives JSON: a held mail is kept in this form. */
export interface PreparedFields {
  messageId: MessageId;
  /** With its angle brackets; the same for every attempt, so that a repeated delivery is seen as one. */
  rfcMessageId: string;
  inReplyTo: string | null;
  references: string[];
  from: NamedAddress;
  to: NamedAddress[];
  cc: NamedAddress[];
  bcc: NamedAddress[];
  /** Where answers go, if not to `from`; what older versions held back does not say. */
  replyTo?: NamedAddress[];
  subject: string;
  snippet: string;
  text: string;
  attachments: StoredAttachment[];
  /** The thread that it joins, if that is still there. */
  threadId: ThreadId | null;
  /** What opens are counted by; null where they are not. */
  openToken: string | null;
  /** Of the words without case, space and digits, in hex: the duplicate tripwire compares these. */
  bodyHash: string;
}

export interface PreparedMessage {
  outgoing: PreparedFields;
  /** The text of the HTML part where it reads differently from `outgoing.text`: what a reviewer has to see as well. */
  htmlText: string | null;
  /** Whether a reviewer can be shown all of it. */
  isWhole: boolean;
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

/**
 * Leaves out what may differ from copy to copy of a mass mailing: case, numbers, space, punctuation, and marks that are
 * not seen or only decorate letters.
 */
const bodyHashOf = (text: string): string =>
  createHash('sha256')
    .update(
      text
        .normalize('NFKD')
        .toLowerCase()
        .replace(/\p{N}+/gu, '0')
        .replace(/[^\p{L}0]+/gu, ''),
    )
    .digest('hex');

/** 128 bits: it is not guessed, and is no other id of the mail. */
const OPEN_TOKEN_BYTES = 16;

const referencesOf = (parent: StoredMessage | null): { inReplyTo: string | null; references: string[] } =>
  parent?.rfcMessageId
    ? { inReplyTo: parent.rfcMessageId, references: replyReferences(parent.rfcMessageId, parent.references) }
    : { inReplyTo: null, references: [] };

export interface PrepareNeeds {
  workers: WorkerPool;
  random: RandomBytes;
  publicUrl: string;
}

/** What the making of the bytes finds out about the mail. */
type Made = Omit<PreparedFields, 'messageId' | 'to' | 'cc' | 'bcc' | 'threadId' | 'bodyHash'> &
  Pick<PreparedMessage, 'mime' | 'size' | 'htmlText' | 'isWhole'>;

interface Making {
  from: NamedAddress;
  /** What the mail is called where it brings no Message-ID of its own. */
  rfcMessageId: string;
  now: Millis;
  /** In whose share of the worker threads they are made. */
  occupant: Occupant;
}

/** Has the bytes made in a worker thread. */
export const prepare = async (
  needs: PrepareNeeds,
  request: SendRequest,
  { agent }: Sender,
  messageId: MessageId,
  now: Millis,
): Promise<PreparedMessage> => {
  const { content, to, cc, bcc = [] } = request;
  const parent = parentOf(request);
  const making = {
    from: { name: agent.displayName, address: agent.address },
    rfcMessageId: `<${messageId}@${domainOf(agent.address)}>`,
    now,
    occupant: { workspace: agent.workspaceId },
  };
  const { mime, size, htmlText, isWhole, ...made } =
    content.kind === 'raw'
      ? await prepareRaw(needs, content.raw, making)
      : await compose(needs, request, content, making);
  const outgoing = {
    ...made,
    messageId,
    to,
    cc,
    bcc,
    threadId: parent?.threadId ?? null,
    // Of what most mail programs show.
    bodyHash: bodyHashOf(htmlText ?? made.text),
  };
  return { outgoing, htmlText, isWhole, mime, size };
};

/** A mail that came whole keeps what it says of itself. */
const prepareRaw = async (
  { workers }: PrepareNeeds,
  raw: Uint8Array,
  { from, rfcMessageId, now, occupant }: Making,
): Promise<Made> => {
  const mail = await workers.run({ kind: 'prepare-raw', raw, messageId: rfcMessageId, date: now }, occupant);
  const { messageId, inReplyTo, references, replyTo, subject, snippet, text, htmlText, isWhole, attachments } = mail;
  return {
    rfcMessageId: messageId,
    openToken: null,
    inReplyTo,
    references,
    from: mail.from[0] ?? from,
    replyTo,
    subject,
    snippet,
    text,
    htmlText,
    isWhole,
    attachments,
    mime: mail.mime,
    size: mail.size,
  };
};

const compose = async (
  { workers, random, publicUrl }: PrepareNeeds,
  request: SendRequest,
  content: SendContent & { kind: 'compose' },
  { from, rfcMessageId, now, occupant }: Making,
): Promise<Made> => {
  const threading = referencesOf(parentOf(request));
  const { replyTo = [] } = content;
  const draft = {
    from,
    to: request.to,
    cc: request.cc,
    replyTo,
    subject: content.subject,
    body: content.body,
    ...(content.html !== undefined && { html: content.html }),
    date: now,
    messageId: rfcMessageId,
    ...threading,
    attachments: content.attachments,
    ...(content.automatic && { headers: [{ name: 'Auto-Submitted', value: 'auto-generated' }] }),
  };
  const openToken = content.trackOpens ? Buffer.from(random(OPEN_TOKEN_BYTES)).toString('base64url') : null;
  const pixelUrl = openToken && `${publicUrl}/o/${openToken}.gif`;
  const composed = await workers.run({ kind: 'compose', draft, pixelUrl }, occupant);
  return { ...composed, ...threading, from, replyTo, rfcMessageId, openToken };
};
