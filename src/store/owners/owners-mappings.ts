/** The tables of owners: who they are, their workspaces, invitations to further ones, the links that sign them in, their sessions. */

import type { Address } from '../../kernel/address.ts';
import { bytes, id, json, mapping, number, type TablesOf, text } from '../mapping.ts';

export const owners = mapping('owners', {
  id: id<'owner'>(),
  /** As {@link addressKey} has it. */
  email: text<Address>(),
  /** When a link that was mailed to the address was used. */
  verifiedAt: number().nullable(),
  createdAt: number(),
  /** When the list of first steps was put away, or done; null: the console opens with it. */
  setUpAwayAt: number().nullable(),
});

export const workspaceOwners = mapping('workspace_owners', {
  workspaceId: id<'workspace'>(),
  ownerId: id<'owner'>(),
  createdAt: number(),
});

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
  /** What a claim is of. */
  workspaceId: id<'workspace'>().nullable(),
  createdAt: number(),
  expiresAt: number(),
  usedAt: number().nullable(),
});

export const ownerSessions = mapping('owner_sessions', {
  hash: bytes(),
  ownerId: id<'owner'>(),
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
  /** As the authenticator counts its uses; 0 where it does not. */
  counter: number(),
  transports: json<string[]>(),
  createdAt: number(),
  lastUsedAt: number().nullable(),
});

export type OwnerTables = TablesOf<
  | typeof owners
  | typeof workspaceOwners
  | typeof invitations
  | typeof signInLinks
  | typeof ownerSessions
  | typeof passkeys
>;
