/** The tables of contacts and their lists. What each column promises stands beside it in migrations/. */

import type { Millis } from '../../kernel/clock.ts';
import type { Id, MessageId } from '../../kernel/ids.ts';
import { type Entity, id, json, mapping, number, text } from '../mapping.ts';
import type { NoteMaker } from '../notes/notes-mappings.ts';

export interface StoredChannel {
  kind: 'email' | 'phone';
  /** As it was given. */
  value: string;
  label: string | null;
  /**
   * The form for comparison: a lower-case address; a number in E.164, or its digits alone where its country is not
   * known.
   */
  key: string;
}

/** RFC 6350 section 6.3.1. */
export interface StoredPostalAddress {
  poBox: string | null;
  extended: string | null;
  street: string | null;
  locality: string | null;
  region: string | null;
  postalCode: string | null;
  country: string | null;
  label: string | null;
}

export interface StoredMemory {
  id: Id<'memory'>;
  fact: string;
  /** The message with the fact. */
  messageId: MessageId | null;
  /**
   * The author of that message, if it was received, and whether an aligned check confirms it. Left out: not recorded.
   */
  messageFrom?: string | null;
  authenticated?: boolean | null;
  /** Who wrote it down; left out: not recorded. */
  saidBy?: NoteMaker;
  createdAt: Millis;
}

export const contacts = mapping('contacts', {
  /** Given by the store alone; ascends with the contacts' creation. */
  seq: number().defaulted(),
  id: id<'contact'>(),
  workspaceId: id<'workspace'>(),
  givenName: text().nullable(),
  familyName: text().nullable(),
  preferredName: text().nullable(),
  companyName: text().nullable(),
  jobTitle: text().nullable(),
  notes: text().nullable(),
  channels: json<StoredChannel[]>(),
  /** Domain names in lower-case ASCII. */
  domains: json<string[]>(),
  addresses: json<StoredPostalAddress[]>(),
  /** Oldest first. */
  memories: json<StoredMemory[]>(),
  createdAt: number(),
  updatedAt: number(),
});

export type Contact = Entity<typeof contacts>;

export const contactKeys = mapping('contact_keys', {
  workspaceId: id<'workspace'>(),
  kind: number(),
  key: text(),
  recency: number(),
}).keyedBy('workspaceId', 'kind', 'key', 'recency');

export const contactSharedKeys = mapping('contact_shared_keys', {
  workspaceId: id<'workspace'>(),
  kind: number(),
  key: text(),
}).keyedBy('workspaceId', 'kind', 'key');

export const contactBooks = mapping('contact_books', { workspaceId: id<'workspace'>(), contactCount: number() });

export const contactLists = mapping('contact_lists', {
  id: id<'contact-list'>(),
  workspaceId: id<'workspace'>(),
  name: text(),
  nameKey: text(),
  description: text().nullable(),
  memberCount: number(),
  createdAt: number(),
  updatedAt: number(),
});

export const contactListMembers = mapping('contact_list_members', {
  listId: id<'contact-list'>(),
  contactSeq: number(),
}).keyedBy('listId', 'contactSeq');

/** Pairs that a person declared different; the lower number first. */
export const contactsApart = mapping('contacts_apart', {
  workspaceId: id<'workspace'>(),
  oneSeq: number(),
  otherSeq: number(),
}).keyedBy('workspaceId', 'oneSeq', 'otherSeq');
