/** What the worker threads are asked and what they answer. Every field survives a structured clone. */

import type { NamedAddress } from '../kernel/address.ts';
import type { Millis } from '../kernel/clock.ts';
import type { Authentication } from '../mail/auth/authenticate-message.ts';
import type { SigningKey } from '../mail/auth/dkim-sign.ts';
import type { Draft } from '../mail/compose/compose-message.ts';
import type { MailReport } from '../mail/dsn/mail-report.ts';
import type { TlsFacts, TransmissionType } from '../mail/header/trace-fields.ts';
import type { AttachmentSummary } from '../mail/mime/parse-message.ts';

/** The SMTP envelope and session of a mail: the input of authentication and of the trace fields. */
export interface Envelope {
  kind: 'smtp';
  /** '' for the null sender. */
  mailFrom: string;
  /** Null where several are accepted: a Received field names one or nobody (RFC 5321 section 7.2). */
  soleRecipient: string | null;
  ip: string;
  helo: string;
  iprevName: string | null;
  /** RFC 3848: ESMTP, ESMTPS, … */
  protocol: TransmissionType;
  /** Null where it came in clear text. */
  tls: TlsFacts | null;
  sessionId: string;
  at: Millis;
}

/** A mail between agents of the box: the sender was authenticated when it was accepted, so nothing is looked up. */
export interface LocalEnvelope {
  kind: 'local';
  mailFrom: string;
  soleRecipient: string;
  at: Millis;
  fromDomain: string;
}

export interface VerifyTask {
  kind: 'verify';
  raw: Uint8Array;
  hostname: string;
  envelope: Envelope | LocalEnvelope;
  /** Whether it came to a return path, and so may tell what became of a mail of ours. */
  asReport: boolean;
}

/** The same of a mail that broke a thread: its body is checked, but not read. */
export interface VerifyHeaderTask extends Omit<VerifyTask, 'kind'> {
  kind: 'verify-header';
}

/** A mail as it is stored: what lists show, what is indexed, and the bytes. */
export interface VerifiedMessage {
  /** The one author; null where the From says nobody, or more than one. */
  author: NamedAddress | null;
  from: NamedAddress[];
  to: NamedAddress[];
  cc: NamedAddress[];
  replyTo: NamedAddress[];
  subject: string;
  baseSubject: string;
  isReplySubject: boolean;
  messageId: string | null;
  inReplyTo: string | null;
  references: string[];
  automatic: boolean;
  /** Of these, what a machine sent in answer or on its own; a list's mail is none. */
  autoSubmitted: boolean;
  text: string;
  snippet: string;
  attachments: AttachmentSummary[];
  /** Null where it was not looked for, or the mail is none. */
  report: MailReport | null;
  receivedCount: number;
  /** Whether its header has more than is read. */
  isCut: boolean;
  /** What could not be read, or stands against the standard; those that somebody acts upon are in mail/mime/defects.ts. */
  defects: string[];
  authentication: Authentication;
  /** zstd, with the trace fields that we add on top. */
  mime: Uint8Array;
  size: number;
}

export interface ReadTask {
  kind: 'read';
  mime: Uint8Array;
  /** Of a mail whose body broke a thread. */
  headerOnly: boolean;
}

export interface ReadMail {
  text: string;
  /** Sanitised; null where the mail has no HTML part. */
  html: string | null;
  replyText: string;
  headers: { name: string; value: string }[];
  codes: string[];
  links: string[];
  /** When it was written, as its header says. */
  date: Millis | null;
}

export interface AttachmentTask {
  kind: 'attachment';
  mime: Uint8Array;
  filename: string;
}

export interface AttachmentBytes {
  filename: string;
  /** With its parameters. */
  contentType: string;
  contentId: string | null;
  content: Uint8Array;
}

/** All of them, as a mail that is forwarded takes them along. */
export interface AttachmentsTask {
  kind: 'attachments';
  mime: Uint8Array;
}

export interface RawTask {
  kind: 'raw';
  mime: Uint8Array;
}

export interface ComposeTask {
  kind: 'compose';
  draft: Draft;
  /** An image whose fetching counts an open; null where opens are not tracked. */
  pixelUrl: string | null;
}

export interface Composed {
  mime: Uint8Array;
  size: number;
  subject: string;
  snippet: string;
  /** The words that are searched. */
  text: string;
  /** The text of the HTML part where it reads differently; null: it does not, or there is one part alone. */
  htmlText: string | null;
  /** Whether `text` and `htmlText` are all that it says: if not, nobody can judge it by them. */
  isWhole: boolean;
  attachments: AttachmentSummary[];
}

/** A mail that came ready-made (submission): kept as it is but for what a sender's host has to see to. */
export interface PrepareRawTask {
  kind: 'prepare-raw';
  raw: Uint8Array;
  /** Put in where the mail has none (RFC 6409 section 8). */
  messageId: string;
  date: Millis;
}

export interface PreparedRaw extends Composed {
  messageId: string;
  inReplyTo: string | null;
  references: string[];
  from: NamedAddress[];
  to: NamedAddress[];
  cc: NamedAddress[];
  replyTo: NamedAddress[];
  automatic: boolean;
}

export interface SignTask {
  kind: 'sign';
  mime: Uint8Array;
  keys: SigningKey[];
  now: Millis;
}

export interface Signed {
  raw: Uint8Array;
  /** The same for hosts without SMTPUTF8; null where it makes no difference. */
  asciiRaw: Uint8Array | null;
}

export type Task =
  | VerifyTask
  | VerifyHeaderTask
  | ReadTask
  | AttachmentTask
  | AttachmentsTask
  | RawTask
  | ComposeTask
  | PrepareRawTask
  | SignTask;

export interface Results {
  verify: VerifiedMessage;
  'verify-header': VerifiedMessage;
  read: ReadMail;
  attachment: AttachmentBytes | null;
  attachments: AttachmentBytes[];
  raw: Uint8Array;
  compose: Composed;
  'prepare-raw': PreparedRaw;
  sign: Signed;
}
