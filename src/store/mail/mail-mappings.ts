/** The tables of messages, threads and known senders. What each column promises stands beside it in migrations/. */

import type { Address, NamedAddress } from '../../kernel/address.ts';
import type { Via } from '../../kernel/caller.ts';
import { bytes, flag, id, json, mapping, number, text } from '../mapping.ts';

export interface StoredAttachment {
  filename: string;
  contentType: string;
  size: number;
  /** Links within the mail name it by this; missing in mail that older versions stored. */
  contentId?: string | null;
}

/** RFC 8601 result words. */
export interface StoredAuthentication {
  spf: string;
  dkim: string;
  dmarc: string;
  /** Missing in mail that older versions stored. */
  arc?: string;
  from_domain: string | null;
  /** Whether a passing check is aligned with the From's domain; missing in mail that older versions stored. */
  aligned?: boolean;
}

/** Whether an aligned check confirms the author, and no scanner calls the mail spam. */
export const isAligned = ({
  authentication,
  spamVerdict,
}: {
  authentication: StoredAuthentication | null;
  spamVerdict: string | null;
}): boolean =>
  authentication !== null && (authentication.aligned ?? authentication.dmarc === 'pass') && spamVerdict !== 'FAIL';

export const messages = mapping('messages', {
  seq: number().defaulted(),
  id: id<'message'>(),
  mailboxId: id<'mailbox'>(),
  threadId: id<'thread'>(),
  direction: text<'in' | 'out'>(),
  fromName: text().nullable(),
  fromAddress: text<NamedAddress['address']>(),
  to: json<NamedAddress[]>().named('to_list'),
  cc: json<NamedAddress[]>().named('cc_list'),
  replyTo: json<NamedAddress[]>(),
  subject: text(),
  snippet: text(),
  unread: flag(),
  archived: flag(),
  status: text(),
  spamVerdict: text<'PASS' | 'FAIL' | 'UNKNOWN'>().nullable(),
  authentication: json<StoredAuthentication>().nullable(),
  /** Whether received mail is unauthenticated: its checks contradict the author, or could not be made. */
  doubtful: flag().defaulted(),
  /** With its angle brackets. */
  rfcMessageId: text().nullable(),
  inReplyTo: text().nullable(),
  references: json<string[]>().named('reference_ids'),
  /** Sent by a program: RFC 3834, lists, null senders. */
  automatic: flag(),
  sendClass: text<'reply' | 'cold'>().nullable(),
  /** The token of its tracking image; null where opens are not counted. */
  openToken: text().nullable(),
  openCount: number().defaulted(),
  firstOpenedAt: number().nullable(),
  lastOpenedAt: number().nullable(),
  /** Received mail's violations of the standard, and parts that could not be read. */
  defects: json<string[]>().defaulted(),
  attachments: json<StoredAttachment[]>(),
  rawId: number(),
  createdAt: number(),
  /** The transport of sent mail; null: received, or older than the column. */
  via: text<Via>().nullable(),
  /** The digest that a person approved; null: no person did. */
  approvedDigest: bytes().nullable(),
  /** The owner who sent it in the agent's name; null: the agent did, or it came in. */
  sentBy: text<Address>().nullable(),
});

export const rawMessages = mapping('raw_messages', {
  id: number().defaulted(),
  /** zstd. */
  mime: bytes(),
  /** Octets before compression. */
  size: number(),
});

export const messageTexts = mapping('message_texts', {
  seq: number(),
  mailbox: text(),
  subject: text(),
  sender: text(),
  recipients: text(),
  attachments: text(),
  /** '' where it is packed. */
  body: text(),
  /** The text as packed-text.ts packs it; null: the body is the text. */
  packed: bytes().nullable(),
});

export const threads = mapping('threads', {
  id: id<'thread'>(),
  mailboxId: id<'mailbox'>(),
  subject: text(),
  baseSubject: text(),
  snippet: text(),
  participants: json<string[]>(),
  messageCount: number(),
  unreadCount: number(),
  lastMessageAt: number(),
});

export const correspondents = mapping('correspondents', {
  mailboxId: id<'mailbox'>(),
  address: text<Address>(),
  firstWrittenAt: number(),
}).keyedBy('mailboxId', 'address');

export const heardFrom = mapping('heard_from', { mailboxId: id<'mailbox'>(), address: text<Address>() }).keyedBy(
  'mailboxId',
  'address',
);
export const unauthenticatedSenders = mapping('doubted_senders', {
  mailboxId: id<'mailbox'>(),
  address: text<Address>(),
}).keyedBy('mailboxId', 'address');
