/** Prepares a message: composes or completes its bytes in a worker thread, and collects the fields of its row. */

import type { QuotaSubject } from '../../budget/quota-subject.ts';
import { type Address, addressKey, domainOf, type NamedAddress } from '../../kernel/address.ts';
import type { Credential, Via } from '../../kernel/caller.ts';
import type { Millis, RandomBytes } from '../../kernel/clock.ts';
import type { MessageId, ThreadId, WorkspaceId } from '../../kernel/ids.ts';
import { replyReferences } from '../../mail/compose/reply-fields.ts';
import type { LeakCheck, LeakIndex } from '../../seal/leak-index.ts';
import type { StoredAttachment, StoredMessage } from '../../store/mail/messages.ts';
import type { SecretMatch } from '../../workers/tasks.ts';
import type { WorkerPool } from '../../workers/worker-pool.ts';
import type { FoundSecret, SecretsFound, Sender } from './gate-check.ts';
import type { SendContent, SendRequest } from './send-request.ts';

/** The fields of the message's row. Serialisable: held mail is stored in this form. */
export interface PreparedFields {
  messageId: MessageId;
  /** With angle brackets; the same at every attempt, so that receivers recognise a repeated delivery. */
  rfcMessageId: string;
  inReplyTo: string | null;
  references: string[];
  from: NamedAddress;
  to: NamedAddress[];
  cc: NamedAddress[];
  bcc: NamedAddress[];
  /** Reply-To; left out in mail that older versions held. */
  replyTo?: NamedAddress[];
  subject: string;
  snippet: string;
  text: string;
  attachments: StoredAttachment[];
  /** The thread to join, where it still exists. */
  threadId: ThreadId | null;
  /** Token of the open pixel; null where opens are not counted. */
  openToken: string | null;
  /** SHA-256 of the normalised text, in hex: the duplicate tripwire compares it. */
  bodyHash: string;
  /** How the send came; left out in mail that older versions held. */
  via?: Via;
  credential?: Credential | undefined;
  /** The owner who sends in the agent's name. */
  sentBy?: Address | undefined;
}

export interface PreparedMessage {
  fields: PreparedFields;
  /** The text of the HTML part where it differs from `fields.text`: a reviewer is shown both. */
  htmlText: string | null;
  /** What the rewriting of the HTML took away. */
  htmlChanged: string[];
  /** Whether this instance composed the bytes. Those of a submitted mail stay as they are, unless it is held. */
  isOurs: boolean;
  /** Whether `fields.text` and `htmlText` are complete, so that a reviewer sees all of it. */
  isWhole: boolean;
  /** Secrets of the workspace's vault that it holds. */
  secrets: SecretsFound;
  /** zstd. */
  mime: Uint8Array;
  size: number;
  /** The text as the store keeps it; left out of mail that was held. */
  packedText?: Uint8Array;
  /** The digest that a person approved; left out where no approval was needed. */
  approvedDigest?: Uint8Array;
}

/** The distinct recipients, in the order given. */
export const recipientsOf = ({ to, cc, bcc = [] }: Pick<SendRequest, 'to' | 'cc' | 'bcc'>): NamedAddress[] => {
  const seen = new Set<string>();
  return [...to, ...cc, ...bcc].filter(({ address }) => {
    const key = addressKey(address);
    return !seen.has(key) && seen.add(key);
  });
};

export const parentOf = ({ parent }: Pick<SendRequest, 'parent'>): StoredMessage | null =>
  parent === 'missing' ? null : parent;

/** 128 bits: not guessable, and unrelated to the message's ids. */
const OPEN_TOKEN_BYTES = 16;

const toReferences = (parent: StoredMessage | null): { inReplyTo: string | null; references: string[] } =>
  parent?.rfcMessageId
    ? { inReplyTo: parent.rfcMessageId, references: replyReferences(parent.rfcMessageId, parent.references) }
    : { inReplyTo: null, references: [] };

export interface PrepareNeeds {
  workers: WorkerPool;
  random: RandomBytes;
  publicUrl: string;
  /** The fingerprints of a workspace's secrets. */
  findLeakIndex: (workspaceId: WorkspaceId) => Promise<LeakCheck>;
}

/** The result of composing or completing the bytes. */
type Composition = Omit<
  PreparedFields,
  'via' | 'credential' | 'sentBy' | 'messageId' | 'to' | 'cc' | 'bcc' | 'threadId'
> &
  Pick<Required<PreparedMessage>, 'mime' | 'size' | 'packedText' | 'htmlText' | 'htmlChanged' | 'isWhole'> & {
    secretsFound: SecretMatch[];
  };

interface CompositionInput {
  from: NamedAddress;
  /** The Message-ID where the mail has none. */
  rfcMessageId: string;
  now: Millis;
  leakIndex: LeakIndex | null;
  /** Recipients of the envelope, which a header field need not have. */
  bcc: string[];
  /** The quota subject for worker threads. */
  quotaSubject: QuotaSubject;
}

/** @param isHeld whether a person will review it: then a submitted mail is composed anew */
export const prepareMessage = async (
  needs: PrepareNeeds,
  request: SendRequest,
  { agent }: Sender,
  messageId: MessageId,
  now: Millis,
  isHeld: boolean,
): Promise<PreparedMessage> => {
  const { content, to, cc, bcc = [] } = request;
  const parent = parentOf(request);
  const leaks = await needs.findLeakIndex(agent.workspaceId);
  const composition = {
    from: { name: agent.displayName, address: agent.address },
    rfcMessageId: `<${messageId}@${domainOf(agent.address)}>`,
    now,
    leakIndex: leaks.kind === 'index' ? leaks.index : null,
    bcc: [...to, ...cc, ...bcc].flatMap(({ name, address }) => [name ?? '', address]),
    quotaSubject: { workspace: agent.workspaceId },
  };
  const { mime, size, packedText, htmlText, htmlChanged, isWhole, secretsFound, ...composed } =
    content.kind === 'raw'
      ? await prepareRaw(needs, content.raw, isHeld, composition)
      : await compose(needs, request, content, composition);
  const fields = {
    ...composed,
    via: request.via,
    credential: request.credential,
    sentBy: request.sentBy,
    messageId,
    to,
    cc,
    bcc,
    threadId: parent?.threadId ?? null,
  };
  const secrets = leaks.kind === 'unavailable' ? 'unchecked' : toFoundSecrets(leaks, secretsFound);
  const isOurs = content.kind === 'compose' || isHeld;
  return { fields, htmlText, htmlChanged, isOurs, isWhole, secrets, mime, size, packedText };
};

export const toFoundSecrets = (leaks: LeakCheck, matches: readonly SecretMatch[]): FoundSecret[] =>
  matches.flatMap(({ secret, where }) => {
    const secretId = leaks.kind === 'index' ? leaks.secretIds[secret] : undefined;
    return secretId ? [{ secretId, where }] : [];
  });

/** A submitted mail keeps its own From, subject, ids and parts. */
const prepareRaw = async (
  { workers }: PrepareNeeds,
  raw: Uint8Array,
  isRebuilt: boolean,
  { from, rfcMessageId, now, leakIndex, bcc, quotaSubject }: CompositionInput,
): Promise<Composition> => {
  const task = { kind: 'prepare-raw', raw, isRebuilt, messageId: rfcMessageId, date: now, leakIndex, bcc } as const;
  const {
    messageId,
    from: authors,
    to: _to,
    cc: _cc,
    automatic: _automatic,
    ...mail
  } = await workers.run(task, quotaSubject);
  return { ...mail, rfcMessageId: messageId, openToken: null, from: authors[0] ?? from };
};

const compose = async (
  { workers, random, publicUrl }: PrepareNeeds,
  request: SendRequest,
  content: SendContent & { kind: 'compose' },
  { from: sender, rfcMessageId, now, leakIndex, bcc, quotaSubject }: CompositionInput,
): Promise<Composition> => {
  const { from = sender } = content;
  const threading = toReferences(parentOf(request));
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
  const composed = await workers.run({ kind: 'compose', draft, pixelUrl, leakIndex, bcc }, quotaSubject);
  return { ...composed, ...threading, from, replyTo, rfcMessageId, openToken };
};
