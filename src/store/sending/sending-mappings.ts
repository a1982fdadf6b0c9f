/** The tables of the delivery queue, the send gate and scheduled sends. What each column promises stands in migrations/. */

import type { Address, NamedAddress } from '../../kernel/address.ts';
import type { StoredAttachment } from '../mail/mail-mappings.ts';
import { bytes, flag, id, json, mapping, number, text } from '../mapping.ts';

/** The reason for which a person reviews a mail. */
export type HoldReason = 'agent_on_hold' | 'guarded' | 'holds_a_secret' | 'secrets_not_checked' | 'guesses_secrets';

/** A secret of the vault in a held mail, and the parts that hold it. */
export interface HeldSecret {
  name: string;
  where: string[];
}

/** The parts of held mail that an owner may edit, as the agent wrote them. */
export interface HeldOriginal {
  subject: string;
  text: string;
  recipients: string[];
}

export const deliveries = mapping('deliveries', {
  id: id<'delivery'>(),
  messageId: id<'message'>(),
  mailboxId: id<'mailbox'>(),
  position: number(),
  address: text<Address>(),
  domain: text(),
  status: text<'queued' | 'deferred' | 'delivered' | 'bounced' | 'complained' | 'cancelled'>(),
  attempts: number(),
  createdAt: number(),
  /** Null once the outcome is final. */
  nextAttemptAt: number().nullable(),
  /** The later of the next attempt and the lease's end; null once the outcome is final. */
  dueAt: number().nullable(),
  /** 0: not leased. */
  leasedUntil: number(),
  /** The run of the daemon that holds the lease, or held it last; null: none. */
  leasedBy: id<'run'>().nullable(),
  /** The lane of a delivery that was passed to another box; stands while the lease does. */
  lane: number().nullable(),
  /** Whether an attempt is under way. */
  attempting: flag().defaulted(),
  /** Whether a person asked for the next attempt. */
  insisted: flag().defaulted(),
  lastAttemptAt: number().nullable(),
  code: number().nullable(),
  enhancedCode: text().nullable(),
  response: text().nullable(),
  remoteHost: text().nullable(),
  tls: text().nullable(),
  transcript: text().nullable(),
});

export const heldSends = mapping('pending_sends', {
  id: id<'pending'>(),
  agentId: id<'agent'>(),
  mailboxId: id<'mailbox'>(),
  workspaceId: id<'workspace'>(),
  status: text<'pending' | 'approved' | 'rejected' | 'expired'>(),
  reason: text<HoldReason>(),
  sendClass: text<'reply' | 'cold'>(),
  /** The envelope's recipients, by the field that names them; `bcc` are those that none names. */
  to: json<NamedAddress[]>().named('to_list'),
  cc: json<NamedAddress[]>().named('cc_list').defaulted(),
  bcc: json<NamedAddress[]>().named('bcc_list').defaulted(),
  /** Addresses that answers would go to; empty: the agent's. */
  replyTo: json<NamedAddress[]>().defaulted(),
  subject: text(),
  snippet: text(),
  attachments: json<StoredAttachment[]>().defaulted(),
  /** JSON of the prepared message without its MIME. */
  outgoing: text(),
  /** The text of the HTML part where it reads differently from the text part; null once it is decided. */
  htmlText: text().nullable(),
  /** zstd; null once the mail went or was discarded. */
  mime: bytes().nullable(),
  /** Octets before compression. */
  size: number(),
  messageId: id<'message'>().nullable(),
  decisionNote: text().nullable(),
  failureReason: text().nullable(),
  /** Null where it expired. */
  decidedBy: text().nullable(),
  decidedAt: number().nullable(),
  createdAt: number(),
  expiresAt: number(),
  /** Empty: held for another reason, or by a version that did not name them. */
  secrets: json<HeldSecret[]>().defaulted(),
  /** Whether it contains a secret that was not granted to its agent. */
  notGranted: flag().defaulted(),
  /** When approved mail is sent, while it can be undone; null: it awaits a decision, or has one. */
  releaseAt: number().nullable(),
  /** The agent's own version of mail that an owner edited; null: not edited. */
  original: json<HeldOriginal>().nullable(),
  /** Unified diff from there to the mail that is sent. */
  changes: text().nullable(),
  /** The owner who sends it in the agent's name; null: the agent itself. */
  sentBy: text<Address>().nullable(),
});

export const scheduledSends = mapping('scheduled_sends', {
  id: id<'scheduled'>(),
  agentId: id<'agent'>(),
  mailboxId: id<'mailbox'>(),
  status: text<'pending' | 'sent' | 'held' | 'failed' | 'cancelled'>(),
  to: json<NamedAddress[]>().named('to_list'),
  subject: text(),
  /** The request as it came, zstd-compressed JSON; null once it ended. */
  request: bytes().nullable(),
  sendAt: number(),
  /** When it is attempted next. */
  dueAt: number(),
  /** Attempts that failed by a fault of the instance. */
  attempts: number().defaulted(),
  bookedAt: number(),
  messageId: id<'message'>().nullable(),
  pendingId: id<'pending'>().nullable(),
  failureReason: text().nullable(),
  /**
   * The API key, or with `byGrant` the OAuth grant, that scheduled it and cancels it by its end. Null: scheduled
   * before this was recorded.
   */
  bookedBy: id<'key'>().nullable(),
  byGrant: flag().defaulted(),
  cancelledBy: text<'key_ended' | 'connection_ended'>().nullable(),
  /** The owner who scheduled it in the agent's name; null: the agent did. */
  sentBy: text<Address>().nullable(),
});

export const suppressions = mapping('suppressions', {
  workspaceId: id<'workspace'>(),
  address: text<Address>(),
  reason: text<'bounce' | 'complaint' | 'manual'>(),
  bounceType: text().nullable(),
  messageId: id<'message'>().nullable(),
  /** Null: for good. */
  until: number().nullable(),
  createdAt: number(),
}).keyedBy('workspaceId', 'address');

export const usage = mapping('usage', {
  scope: id<'workspace' | 'mailbox'>(),
  period: text(),
  /** Tenths of a send: a reply counts one, any other send ten. */
  units: number(),
  cold: number(),
}).keyedBy('scope', 'period');

export const coldSends = mapping('cold_sends', {
  mailboxId: id<'mailbox'>(),
  width: number(),
  startsAt: number(),
  count: number(),
}).keyedBy('mailboxId', 'width', 'startsAt');

export const bodyRecipients = mapping('body_recipients', {
  mailboxId: id<'mailbox'>(),
  bodyHash: bytes(),
  address: text(),
  sentAt: number(),
}).keyedBy('mailboxId', 'bodyHash', 'address');

/** Counts of recipients, `mails` aside. Bounces are those of a bad address. */
export const outcomes = mapping('outcomes', {
  workspaceId: id<'workspace'>(),
  hour: number(),
  /** Deliveries that ended, whatever their outcome. */
  ended: number(),
  /** Mails of which at least one delivery ended. */
  mails: number().defaulted(),
  bounced: number(),
  complained: number(),
  /** Bounces of replies, at most one for each day and organisational domain. */
  replyBounced: number().defaulted(),
  replyComplained: number().defaulted(),
  /** Recipients of mail that was accepted for sending. */
  sent: number().defaulted(),
  delivered: number().defaulted(),
}).keyedBy('workspaceId', 'hour');

export const replyOutcomes = mapping('reply_outcomes', {
  workspaceId: id<'workspace'>(),
  day: number(),
  kind: text<'bounced' | 'complained'>(),
  organisation: text(),
}).keyedBy('workspaceId', 'day', 'kind', 'organisation');

/** Counts of a workspace or mailbox on a UTC day. */
export const mailDays = mapping('mail_days', {
  scope: id<'workspace' | 'mailbox'>(),
  day: number(),
  received: number(),
  /** As in the rates: of a bad address. */
  bounced: number(),
  /** Of received mail, as it is stored. */
  bytes: number(),
}).keyedBy('scope', 'day');

export const hostDays = mapping('host_days', {
  workspaceId: id<'workspace'>(),
  day: number(),
  organisation: text(),
  /** '' for all of its deliveries, else one kind of reply: `refused 550 5.1.1`. */
  reply: text(),
  ended: number(),
  refused: number(),
  deferred: number(),
  /** The text of the last such reply. */
  said: text().nullable(),
}).keyedBy('workspaceId', 'day', 'organisation', 'reply');
