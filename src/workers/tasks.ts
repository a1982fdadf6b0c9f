/** The tasks of the worker threads and their results. Every field survives a structured clone. */

import type { Millis } from '../kernel/clock.ts';
import type { Authentication } from '../mail/auth/authenticate-message.ts';
import type { SigningKey } from '../mail/auth/dkim-sign.ts';
import type { Draft } from '../mail/compose/compose-message.ts';
import type { ForwardedMail } from '../mail/compose/forward-inline.ts';
import type { MailEdit } from '../mail/compose/rebuild-mail.ts';
import type { MailReport } from '../mail/dsn/mail-report.ts';
import type { MailHead } from '../mail/header/message-header.ts';
import type { ReceivedFacts } from '../mail/header/trace-fields.ts';
import type { ReviewedLinks } from '../mail/html/review-links.ts';
import type { AttachmentSummary } from '../mail/mime/parse-message.ts';
import type { MailLink } from '../mail/text/mail-links.ts';
import type { SplitReply } from '../mail/text/reply-text.ts';
import type { LeakIndex } from '../seal/leak-index.ts';
import type { HeldOriginal } from '../store/sending/held-sends.ts';
import type { ContactWork } from './contact-tasks.ts';
import type { DocumentWork } from './document-tasks.ts';
import type { AttachmentWork } from './reading/attachment-preview.ts';

/** The SMTP envelope and session of a mail: the input of authentication and of the trace fields. */
export interface Envelope extends Pick<ReceivedFacts, 'ip' | 'helo' | 'iprevName' | 'protocol' | 'tls' | 'at'> {
  kind: 'smtp';
  /** '' for the null sender. */
  mailFrom: string;
  /** Null for several recipients: the Received field then names none (RFC 5321 section 7.2). */
  soleRecipient: string | null;
  sessionId: string;
}

/** Mail between agents of this instance: the send gate has authenticated the sender, so that no DNS query is made. */
export interface LocalEnvelope {
  kind: 'local';
  mailFrom: string;
  soleRecipient: string;
  at: Millis;
  fromDomain: string;
}

/** A parsed and authenticated mail in its stored form: fields, text and bytes. */
export interface VerifiedMessage extends Omit<MailHead, 'date' | 'headers'> {
  baseSubject: string;
  isReplySubject: boolean;
  text: string;
  snippet: string;
  attachments: AttachmentSummary[];
  /** Null where the mail is no report, or was not parsed as one. */
  report: MailReport | null;
  authentication: Authentication;
  /** zstd, with the trace fields of this instance. */
  mime: Uint8Array;
  size: number;
  /** The text as the store keeps it. */
  packedText: Uint8Array;
}

export interface ImportedMail extends Omit<VerifiedMessage, 'authentication'> {
  /** Whether it has a header field that mail has. */
  isMail: boolean;
  /** Made by mail/mbox/content-digest.ts. */
  digest: Uint8Array;
}

export interface ReadMail {
  text: string;
  /** Sanitised; null where the mail has no HTML part. */
  html: string | null;
  replyText: string;
  /** Whether it answers several quotes one by one. */
  answersOneByOne: boolean;
  headers: { name: string; value: string }[];
  codes: string[];
  links: MailLink[];
  date: Millis | null;
}

export interface AttachmentBytes {
  filename: string;
  /** With its parameters. */
  contentType: string;
  contentId: string | null;
  content: Uint8Array;
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
  /** As outgoing/hash-body.ts makes it. */
  bodyHash: string;
  /** What the rewriting of the HTML took away. */
  htmlChanged: string[];
  /** Whether `text` and `htmlText` are complete, so that a reviewer can judge the mail by them. */
  isWhole: boolean;
  attachments: AttachmentSummary[];
  secretsFound: SecretMatch[];
}

export interface EditedHeld extends Composed {
  /** From the original, as a unified diff. */
  changes: string;
}

export interface PreparedRaw
  extends Composed,
    Pick<MailHead, 'inReplyTo' | 'references' | 'from' | 'to' | 'cc' | 'replyTo' | 'automatic'> {
  messageId: string;
}

export interface Signed {
  raw: Uint8Array;
  /** The variant for hosts without SMTPUTF8; null where it is the same. */
  asciiRaw: Uint8Array | null;
}

/** What a thread does, by the kind of task. `headerOnly` is for a mail with a body that crashed a thread: it is not parsed. */
export interface Work extends ContactWork, DocumentWork, AttachmentWork {
  verify(mail: {
    raw: Uint8Array;
    hostname: string;
    envelope: Envelope | LocalEnvelope;
    /** Whether a recipient is a return path, so that the mail is also parsed as DSN or ARF. */
    asReport: boolean;
    headerOnly: boolean;
  }): VerifiedMessage;
  /** Reads a mail from a file as it is: nothing is verified, and its octets stay. */
  import(mail: { raw: Uint8Array; headerOnly: boolean }): ImportedMail;
  /** @param mail.numbersLinks whether numbers stand in the text for long addresses */
  read(mail: { mime: Uint8Array; headerOnly: boolean; numbersLinks?: boolean }): ReadMail;
  'split-reply'(mail: { text: string }): SplitReply;
  frame(mail: { mime: Uint8Array; keepsRemote: boolean; folds?: true }): { html: string | null; remoteImages: number };
  /** Where the links of the HTML part lead. */
  links(mail: { mime: Uint8Array }): ReviewedLinks & { hasHtml: boolean };
  /** Those of these names; null: all. */
  attachments(of: { mime: Uint8Array; filenames: readonly string[] | null }): AttachmentBytes[];
  /** Quotes a stored mail in a forward. @param of.original what the store knows of the mail; `date` for one without a Date field */
  forward(of: {
    mime: Uint8Array;
    original: Pick<ForwardedMail, 'from' | 'to' | 'cc' | 'subject' | 'date'>;
    note: string;
  }): { body: string; html: string };
  raw(mail: { mime: Uint8Array }): Uint8Array;
  compose(mail: Searched & Tracked & { draft: Draft; bcc: readonly string[] }): Composed;
  /** Prepares a submitted mail: unchanged but for what a submission server adds and removes, or composed anew. */
  'prepare-raw'(
    mail: Searched & {
      raw: Uint8Array;
      /** Whether its parts are composed anew, with its HTML rewritten: as every mail that a person reviews. */
      isRebuilt: boolean;
      /** Added where the mail has none (RFC 6409 section 8). */
      messageId: string;
      date: Millis;
      bcc: readonly string[];
    },
  ): PreparedRaw;
  /** Composes held mail anew with what an owner edited of it. */
  'edit-held'(
    mail: Searched &
      Tracked & {
        mime: Uint8Array;
        edit: Omit<MailEdit, 'pixelUrl'>;
        /** As its agent wrote it. */
        original: HeldOriginal;
        /** That are left. */
        recipients: readonly string[];
      },
  ): EditedHeld;
  sign(mail: { mime: Uint8Array; keys: SigningKey[]; now: Millis; isRelayed: boolean }): Signed;
}

interface Searched {
  /** Fingerprints of the workspace's secrets, which the mail is searched for; null: none. */
  leakIndex: LeakIndex | null;
}

interface Tracked {
  /** URL of the open pixel; null where opens are not tracked. */
  pixelUrl: string | null;
}

export type Kind = keyof Work;
export type Input<K extends Kind> = Parameters<Work[K]>[0];
export type Result<K extends Kind> = ReturnType<Work[K]>;
export type Task<K extends Kind = Kind> = { [P in K]: { kind: P } & Input<P> }[K];
