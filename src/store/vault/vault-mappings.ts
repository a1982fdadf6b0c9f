/** The tables of the vault. What each column promises stands beside it in migrations/. */

import { buffer, flag, id, json, mapping, number, text } from '../mapping.ts';

const SECRET_TYPES = ['login', 'api_key', 'key_pair', 'ssh_key', 'other'] as const;
export type SecretType = (typeof SECRET_TYPES)[number];

const isType = (type: SecretType): boolean => SECRET_TYPES.includes(type);
const isTags = (tags: string[]): boolean => Array.isArray(tags) && tags.every((tag) => typeof tag === 'string');
/** Within the range of a Date (ECMA-262 section 21.4.1.1). */
const isTime = (time: number): boolean => Number.isInteger(time) && Math.abs(time) <= 8.64e15;

export const vaultKeys = mapping('vault_keys', {
  /** `instance`, or a workspace's id. */
  name: text(),
  masterId: buffer(),
  wrapped: buffer(),
  createdAt: number(),
});

/** A secret with a damaged column is listed but does not open: its value is bound to the columns. */
export const secrets = mapping('secrets', {
  id: id<'secret'>(),
  workspaceId: id<'workspace'>(),
  name: text(),
  nameKey: text(),
  type: text<SecretType>().recovering(isType, 'other'),
  tags: json<string[]>().recovering(isTags, []),
  hasTotp: flag(),
  version: number(),
  sealed: buffer(),
  createdAt: number().recovering(isTime, 0),
  updatedAt: number().recovering(isTime, 0),
});

export const secretVersions = mapping('secret_versions', {
  secretId: id<'secret'>(),
  version: number(),
  mac: buffer(),
});

export const secretGrants = mapping('secret_grants', {
  agentId: id<'agent'>(),
  secretId: id<'secret'>(),
  createdAt: number(),
  /** Whether the agent reads the seed of its one-time codes. */
  withSeed: flag(),
}).keyedBy('agentId', 'secretId');

export const leakIndexes = mapping('leak_indexes', {
  workspaceId: id<'workspace'>(),
  generation: number(),
  sealed: buffer(),
});
