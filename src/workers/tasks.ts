/** The tasks of the worker threads and their results. Every field survives a structured clone. */

import type { NamedAddress } from '../kernel/address.ts';
import type { Millis } from '../kernel/clock.ts';
import type { Authentication } from '../mail/auth/authenticate-message.ts';
import type { SigningKey } from '../mail/auth/dkim-sign.ts';
import type { Draft } from '../mail/compose/compose-message.ts';
import type { ForwardedMail } from '../mail/compose/forward-inline.ts';
import type { MailEdit } from '../mail/compose/rebuild-mail.ts';
import type { MailReport } from '../mail/dsn/mail-report.ts';
import type { TlsFacts, TransmissionType } from '../mail/header/trace-fields.ts';
import type { ReviewedLinks } from '../mail/html/review-links.ts';
import type { AttachmentSummary } from '../mail/mime/parse-message.ts';
import type { MailLink } from '../mail/text/mail-links.ts';
import type { LeakIndex } from '../seal/leak-index.ts';
import type { ContactResults, ContactTask } from './contact-tasks.ts';
import type { DocumentResults, DocumentTask } from './document-tasks.ts';
import type { AttachmentResults, AttachmentTask } from './reading/attachment-preview.ts';

/** The SMTP envelope and session of a mail: the input of authentication and of the trace fields. */
export interface Envelope {
  kind: 'smtp';
  /** '' for the null sender. */
  mailFrom: string;
  /** Null for several recipients: the Received field then names none (RFC 5321 section 7.2). */
  soleRecipient: string | null;
  ip: string;
  helo: string;
  iprevName: string | null;
  /** RFC 3848: ESMTP, ESMTPS, … */
  protocol: TransmissionType;
  /** Null for a session in clear text. */
  tls: TlsFacts | null;
  sessionId: string;
  at: Millis;
}

/** Mail between agents of this instance: the send gate has authenticated the sender, so that no DNS query is made. */
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
  /** Whether a recipient is a return path, so that the mail is also parsed as DSN or ARF. */
  asReport: boolean;
}

/** For a mail with a body that crashed a thread: the body is authenticated, but not parsed. */
export interface VerifyHeaderTask extends Omit<VerifyTask, 'kind'> {
  kind: 'verify-header';
}

/** A parsed and authenticated mail in its stored form: fields, text and bytes. */
export interface VerifiedMessage {
  /** The single author; null where From has none or several. */
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
  /** Automatic mail other than a mailing list's: replies and notifications (RFC 3834). */
  autoSubmitted: boolean;
  text: string;
  snippet: string;
  attachments: AttachmentSummary[];
  /** Null where the mail is no report, or was not parsed as one. */
  report: MailReport | null;
  receivedCount: number;
  /** Whether its header exceeds the limit of fields that are parsed. */
  isCut: boolean;
  /** Parse failures and violations of the standards; those with consequences are in mail/mime/defects.ts. */
  defects: string[];
  authentication: Authentication;
  /** zstd, with the trace fields of this instance. */
  mime: Uint8Array;
  size: number;
  /** The text as the store keeps it. */
  packedText: Uint8Array;
}

/** Reads a mail from a file as it is: nothing is verified, and its octets stay. */
export interface ImportTask {
  kind: 'import';
  raw: Uint8Array;
  /** For a mail with a body that crashed a thread. */
  headerOnly: boolean;
}

export interface ImportedMail extends Omit<VerifiedMessage, 'authentication'> {
  /** Whether it has a header field that mail has. */
  isMail: boolean;
  /** Of mail/mbox/content-digest.ts. */
  digest: Uint8Array;
}

export interface ReadTask {
  kind: 'read';
  mime: Uint8Array;
  /** For a mail with a body that crashed a thread. */
  headerOnly: boolean;
  /** Whether numbers stand in the text for long addresses. */
  numbersLinks?: boolean;
}

export interface ReadMail {
  text: string;
  /** Sanitised; null where the mail has no HTML part. */
  html: string | null;
  replyText: string;
  headers: { name: string; value: string }[];
  codes: string[];
  links: MailLink[];
  date: Millis | null;
}

export interface FrameTask {
  kind: 'frame';
  mime: Uint8Array;
  keepsRemote: boolean;
  folds?: true;
}

/** Where the links of the HTML part lead. */
export interface LinksTask {
  kind: 'links';
  mime: Uint8Array;
}

export interface MailFrame {
  html: string | null;
  remoteImages: number;
}

export interface AttachmentsTask {
  kind: 'attachments';
  mime: Uint8Array;
  /** Null: all. */
  filenames: readonly string[] | null;
}

export interface AttachmentBytes {
  filename: string;
  /** With its parameters. */
  contentType: string;
  contentId: string | null;
  content: Uint8Array;
}

/** Quotes a stored mail in a forward. */
export interface ForwardTask {
  kind: 'forward';
  mime: Uint8Array;
  /** What the store knows of the mail; `date` for one without a Date field. */
  original: Pick<ForwardedMail, 'from' | 'to' | 'cc' | 'subject' | 'date'>;
  note: string;
}

export interface Forwarded {
  body: string;
  html: string;
}

export interface RawTask {
  kind: 'raw';
  mime: Uint8Array;
}

export interface ComposeTask {
  kind: 'compose';
  draft: Draft;
  /** URL of the open pixel; null where opens are not tracked. */
  pixelUrl: string | null;
  /** Fingerprints of the workspace's secrets, which the mail is searched for; null: none. */
  leakIndex: LeakIndex | null;
  /** Recipients that no header field has. */
  bcc: readonly string[];
}

export interface SecretMatch {
  /** By its number in the leak index. */
  secret: number;
  /** Parts of the mail, as a reviewer is told. */
  where: string[];
}

export interface Composed {
  mime: Uint8Array;
  size: number;
  packedText: Uint8Array;
  subject: string;
  snippet: string;
  /** The text for the full-text index. */
  text: string;
  /** The text of the HTML part where it differs from `text`; null: it does not, or there is no HTML part. */
  htmlText: string | null;
  /** What the rewriting of the HTML took away. */
  htmlChanged: string[];
  /** Whether `text` and `htmlText` are complete, so that a reviewer can judge the mail by them. */
  isWhole: boolean;
  attachments: AttachmentSummary[];
  secretsFound: SecretMatch[];
}

/** Prepares a submitted mail: unchanged but for what a submission server adds and removes, or composed anew. */
export interface PrepareRawTask {
  kind: 'prepare-raw';
  raw: Uint8Array;
  /** Whether its parts are composed anew, with its HTML rewritten: as every mail that a person reviews. */
  isRebuilt: boolean;
  /** Added where the mail has none (RFC 6409 section 8). */
  messageId: string;
  date: Millis;
  leakIndex: LeakIndex | null;
  /** Recipients that no header field has. */
  bcc: readonly string[];
}

/** Composes held mail anew with what an owner edited of it. */
export interface EditHeldTask {
  kind: 'edit-held';
  mime: Uint8Array;
  edit: Omit<MailEdit, 'pixelUrl'>;
  /** URL of the open pixel; null where opens are not tracked. */
  pixelUrl: string | null;
  leakIndex: LeakIndex | null;
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
  /** The variant for hosts without SMTPUTF8; null where it is the same. */
  asciiRaw: Uint8Array | null;
}

export type Task =
  | VerifyTask
  | VerifyHeaderTask
  | ImportTask
  | ReadTask
  | FrameTask
  | LinksTask
  | AttachmentsTask
  | ForwardTask
  | RawTask
  | ComposeTask
  | PrepareRawTask
  | EditHeldTask
  | SignTask
  | ContactTask
  | DocumentTask
  | AttachmentTask;

export interface Results extends ContactResults, DocumentResults, AttachmentResults {
  verify: VerifiedMessage;
  'verify-header': VerifiedMessage;
  import: ImportedMail;
  read: ReadMail;
  frame: MailFrame;
  links: ReviewedLinks & { hasHtml: boolean };
  /** Those that there are. */
  attachments: AttachmentBytes[];
  forward: Forwarded;
  raw: Uint8Array;
  compose: Composed;
  'prepare-raw': PreparedRaw;
  'edit-held': Composed;
  sign: Signed;
}
