/** Identifiers: UUIDv7 (RFC 9562 section 5.7), which sort by creation time. */

import type { Clock, RandomBytes } from './clock.ts';
import { asBuffer } from './text/octets.ts';

declare const brand: unique symbol;

/**
 * A UUID in its canonical lower-case text form. `T` is the kind of thing it identifies, so that ids of different kinds
 * do not mix.
 */
export type Id<T extends string> = string & { readonly [brand]: T };

export type WorkspaceId = Id<'workspace'>;
export type AgentId = Id<'agent'>;
export type MailboxId = Id<'mailbox'>;
export type MessageId = Id<'message'>;
export type ThreadId = Id<'thread'>;
export type DomainId = Id<'domain'>;
export type KeyId = Id<'key'>;
export type RuleId = Id<'rule'>;
export type DeliveryId = Id<'delivery'>;
export type PendingId = Id<'pending'>;
export type ScheduledId = Id<'scheduled'>;
export type WebhookId = Id<'webhook'>;
export type NoticeId = Id<'notice'>;
export type ContactId = Id<'contact'>;
export type ContactListId = Id<'contact-list'>;
export type NoteId = Id<'note'>;
export type SourceId = Id<'source'>;
export type PageId = Id<'page'>;
export type SecretId = Id<'secret'>;
export type DraftId = Id<'draft'>;
export type DraftFileId = Id<'draft-file'>;
export type OwnerId = Id<'owner'>;
/** An owner's consent to an OAuth client. */
export type GrantId = Id<'grant'>;
/** One run of the daemon, from start to exit. */
export type RunId = Id<'run'>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Parses an id in any letter case; null for any other text. */
export const parseId = <T extends string>(text: string): Id<T> | null => {
  const lower = text.toLowerCase();
  return UUID.test(lower) ? (lower as Id<T>) : null;
};

/** Encodes an id as 16 bytes (RFC 9562 section 4). */
export const idToBytes = (id: Id<string>): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

/** @param bytes 16 of them */
export const idFromBytes = <T extends string>(bytes: Uint8Array): Id<T> => {
  return idFromHex(asBuffer(bytes).toString('hex'));
};

/** @param hex 32 digits, of any case */
export const idFromHex = <T extends string>(text: string): Id<T> => {
  const hex = text.toLowerCase();
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}` as Id<T>;
};

export type NewId = <T extends string>() => Id<T>;

/**
 * Creates a source of UUIDv7s. Its ids ascend strictly, also within a millisecond and when the clock steps back: the
 * 12 bits after the version are a counter (RFC 9562 section 6.2, method 1).
 */
export const createIdSource = (clock: Clock, random: RandomBytes): NewId => {
  let last = 0;
  let counter = 0;
  return <T extends string>() => {
    const now = clock.now();
    if (now > last) {
      last = now;
      counter = 0;
    } else if (++counter > 0xfff) {
      last += 1;
      counter = 0;
    }
    const hex = Buffer.from(random(8));
    hex[0] = ((hex[0] ?? 0) & 0x3f) | 0x80;
    const tail = hex.toString('hex');
    const time = last.toString(16).padStart(12, '0');
    const count = counter.toString(16).padStart(3, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${tail.slice(0, 4)}-${tail.slice(4)}` as Id<T>;
  };
};
