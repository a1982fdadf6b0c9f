/** The tables of workspaces, domains, agents and their keys. What each column promises stands beside it in migrations/. */

import type { Address, DomainName } from '../../kernel/address.ts';
import type { Reach } from '../../kernel/caller.ts';
import { buffer, bytes, flag, id, json, mapping, number, text } from '../mapping.ts';

export type SendingState = 'normal' | 'throttled' | 'paused';

export const workspaces = mapping('workspaces', {
  id: id<'workspace'>(),
  name: text(),
  /** The label of its subdomain under the base domain. */
  slug: text(),
  ownerEmail: text(),
  plan: text(),
  verifiedAt: number().nullable(),
  createdAt: number(),
  /** The instance's own, which no list shows. */
  hidden: flag().defaulted(),
  tier: text<'standard' | 'probation'>().defaulted(),
  /** Null: the plan's. */
  spendCapUsd: number().nullable(),
  sendingState: text<SendingState>().defaulted(),
  sendingStateReason: text().nullable(),
  sendingStateAt: number().defaulted(),
  /** Outcomes before it do not count in the rates. */
  ratesFrom: number().defaulted(),
  /** The hash of the token of its claim_url; null where the operator made it. */
  claimHash: bytes().nullable(),
  claimedAt: number().nullable(),
  removedAt: number().nullable(),
  /** When the data of a removed workspace was deleted. */
  purgedAt: number().nullable(),
  /** Bytes of its mail from before the UTC day that begins at `mailBytesDay`; both 0 until a night has measured them. */
  mailBytes: number().defaulted(),
  mailBytesDay: number().defaulted(),
  /** The start of the UTC day on which its owners were last told that its mailboxes are full; 0: never. */
  fullToldDay: number().defaulted(),
});

/** The findings of a check about one record, identified by type, name and value. */
export interface CheckedRecord {
  type: string;
  name: string;
  value: string;
  status: 'found' | 'missing' | 'mismatch' | 'unchecked';
  found: string[];
  hint: string | null;
}

export interface CheckResult {
  hint: string | null;
  records: CheckedRecord[];
}

export const domains = mapping('domains', {
  id: id<'domain'>(),
  /** Null for the base domain, which is the instance's own. */
  workspaceId: id<'workspace'>().nullable(),
  name: text<DomainName>(),
  kind: text<'base' | 'subdomain' | 'custom'>(),
  status: text<'pending' | 'verified' | 'failing'>(),
  verifiedAt: number().nullable(),
  lastCheckedAt: number().nullable(),
  createdAt: number(),
  /** Stands in the record that proves the consent of a custom domain's owner. */
  ownershipToken: text().nullable(),
  /** The first check that found a verified domain broken; null: the last one found it whole. */
  failingSince: number().nullable(),
  /** What the last check found. */
  checkResult: json<CheckResult>().nullable(),
  /** False for a custom domain that sends alone: its MX is another server. */
  receives: flag(),
});

export const dkimKeys = mapping('dkim_keys', {
  domainId: id<'domain'>(),
  selector: text(),
  algorithm: text<'rsa-sha256' | 'ed25519-sha256'>(),
  /** A `next` key is published ahead, so that a rotation needs no change of DNS. */
  role: text<'signing' | 'next'>(),
  /** The value of `p=` (RFC 6376 section 3.6.1). */
  publicKey: text(),
  /** Empty once retired. */
  sealedPrivateKey: buffer(),
  createdAt: number(),
  /** A rotation took it out of use; its record stays published for a while. */
  retiredAt: number().nullable(),
}).keyedBy('domainId', 'selector');

/** The last selector number of a domain. It outlives the domain, so that none is used twice. */
export const dkimSelectorNumbers = mapping('dkim_selector_numbers', {
  domain: text<DomainName>(),
  lastNumber: number(),
});

export const agents = mapping('agents', {
  id: id<'agent'>(),
  workspaceId: id<'workspace'>(),
  handle: text(),
  displayName: text().nullable(),
  description: text().nullable(),
  filterMode: text<'blacklist' | 'whitelist'>(),
  /** Whether a person reviews every send. */
  hold: flag().defaulted(),
  /** Whether a person reviews replies to unauthenticated mail (outbound/gate/hold.ts). */
  guard: flag().defaulted(),
  createdAt: number(),
  removedAt: number().nullable(),
  /** When the clean-up of a removed agent is next due; null: nothing is left, or it was not removed. */
  cleanupAt: number().nullable(),
});

export const mailboxes = mapping('mailboxes', {
  id: id<'mailbox'>(),
  agentId: id<'agent'>(),
  domainId: id<'domain'>(),
  status: text<'active' | 'suspended'>(),
  receiveOnly: flag(),
  expiresAt: number().nullable(),
  createdAt: number(),
  cooldownUntil: number().defaulted(),
  nextColdAt: number().defaulted(),
  label: text().nullable(),
});

export const addresses = mapping('addresses', {
  address: text<Address>(),
  mailboxId: id<'mailbox'>(),
  isPrimary: flag(),
  /** From then on it takes no mail, and its local part is free again. Null: never. */
  retiresAt: number().nullable(),
});

export const apiKeys = mapping('api_keys', {
  id: id<'key'>(),
  agentId: id<'agent'>(),
  name: text(),
  hash: bytes(),
  /** Null: every scope. */
  scopes: json<string[]>().nullable(),
  reach: text<Reach>(),
  createdAt: number(),
  lastUsedAt: number().nullable(),
  expiresAt: number().nullable(),
  revokedAt: number().nullable(),
});

export const rules = mapping('rules', {
  id: id<'rule'>(),
  agentId: id<'agent'>(),
  match: text<'exact_email' | 'domain'>(),
  /** Lower-case. */
  value: text(),
  action: text<'allow' | 'block'>(),
  /** Whether a person made it: no key of the agent removes or overrides it. */
  byPerson: flag().defaulted(),
  createdAt: number(),
});

export const idempotencyKeys = mapping('idempotency_keys', {
  apiKeyId: id<'key'>(),
  key: text(),
  /** A hash of the operation and the body. */
  fingerprint: buffer(),
  status: number(),
  body: text(),
  createdAt: number(),
}).keyedBy('apiKeyId', 'key');
