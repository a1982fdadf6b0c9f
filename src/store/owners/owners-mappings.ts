/** The tables of owners: who they are, their workspaces, invitations to further ones, the links that sign them in, their sessions. */

import type { Address } from '../../kernel/address.ts';
import { buffer, bytes, flag, id, json, mapping, number, text } from '../mapping.ts';

export const owners = mapping('owners', {
  id: id<'owner'>(),
  /** As {@link addressKey} has it. */
  email: text<Address>(),
  /** When a link that was mailed to the address was first used. */
  verifiedAt: number().nullable(),
  createdAt: number(),
  /** When the list of first steps was put away, or done; null: the console opens with it. */
  setUpAwayAt: number().nullable(),
});

export const workspaceOwners = mapping('workspace_owners', {
  workspaceId: id<'workspace'>(),
  ownerId: id<'owner'>(),
  createdAt: number(),
}).keyedBy('workspaceId', 'ownerId');

export const invitations = mapping('owner_invitations', {
  hash: bytes(),
  workspaceId: id<'workspace'>(),
  email: text<Address>(),
  /** The address of an owner. */
  invitedBy: text<Address>(),
  createdAt: number(),
  expiresAt: number(),
  /** When it was accepted, withdrawn, or replaced by a later one. */
  endedAt: number().nullable(),
});

export const signInLinks = mapping('sign_in_links', {
  hash: bytes(),
  email: text<Address>(),
  /** `printed` by the command line: it proves nothing about the address. */
  kind: text<'mailed' | 'printed' | 'claim'>(),
  /** The workspace of a claim. */
  workspaceId: id<'workspace'>().nullable(),
  createdAt: number(),
  expiresAt: number(),
  usedAt: number().nullable(),
});

export const ownerSessions = mapping('owner_sessions', {
  hash: bytes(),
  ownerId: id<'owner'>(),
  /** What the browser is called (kernel/text/browser-name.ts). */
  browser: text(),
  createdAt: number(),
  lastUsedAt: number(),
  expiresAt: number(),
});

/** WebAuthn credentials. */
export const passkeys = mapping('passkeys', {
  id: bytes(),
  ownerId: id<'owner'>(),
  name: text(),
  /** COSE (RFC 9052). */
  publicKey: bytes(),
  /** The authenticator's count of uses; 0 where it does not count. */
  counter: number(),
  transports: json<string[]>(),
  createdAt: number(),
  lastUsedAt: number().nullable(),
});

/** Mail that an owner writes in the name of an agent. */
export const mailDrafts = mapping('mail_drafts', {
  id: id<'draft'>(),
  workspaceId: id<'workspace'>(),
  owner: text<Address>(),
  agentId: id<'agent'>(),
  kind: text<'new' | 'reply' | 'reply_all' | 'forward'>(),
  messageId: id<'message'>().nullable(),
  /** As typed, like the next two. */
  to: json<string[]>().named('to_list'),
  cc: json<string[]>().named('cc_list'),
  bcc: json<string[]>().named('bcc_list'),
  subject: text(),
  body: text(),
  updatedAt: number(),
});

export const draftFiles = mapping('draft_files', {
  id: id<'draft-file'>(),
  draftId: id<'draft'>(),
  filename: text(),
  contentType: text(),
  size: number(),
  content: bytes(),
});

/** What a person is told while away; null: not chosen. */
export const toldSettings = mapping('told_settings', {
  ownerId: id<'owner'>(),
  mailsHeld: flag().nullable(),
  mailsNeeds: flag().nullable(),
  digest: text<'off' | 'daily' | 'weekly'>(),
  /** From 0 to 23, in the zone. */
  digestHour: number(),
  /** A name of the IANA time zone database. */
  digestZone: text(),
  /** The first UTC day that no digest has covered. */
  digestFrom: number(),
  digestDueAt: number().nullable(),
});

/** Push subscriptions of browsers (RFC 8030, RFC 8291), by the hash of their session. */
export const pushSubscriptions = mapping('push_subscriptions', {
  sessionHash: bytes(),
  ownerId: id<'owner'>(),
  endpoint: text(),
  /** An uncompressed point of P-256, 65 bytes. */
  publicKey: buffer(),
  /** 16 bytes. */
  auth: buffer(),
  tellsHeld: flag(),
  tellsNeeds: flag(),
  createdAt: number(),
});

/** What is told, or made of the store when it is sent. */
export type PushData = { kind: 'held' } | { kind: 'need'; title: string; body: string; url: string };

export const pushMessages = mapping('push_messages', {
  sessionHash: bytes(),
  tag: text(),
  workspaceId: id<'workspace'>(),
  data: json<PushData>(),
  changedAt: number(),
  /** Null: sent. */
  dueAt: number().nullable(),
  attempts: number(),
  sentAt: number().nullable(),
}).keyedBy('sessionHash', 'tag');

export const toldNeeds = mapping('told_needs', {
  workspaceId: id<'workspace'>(),
  need: text(),
  seenAt: number(),
}).keyedBy('workspaceId', 'need');
