/** The tables of the vault. What each column promises stands beside it in migrations/. */

import { buffer, flag, id, json, mapping, number, type TablesOf, text } from '../mapping.ts';

export type SecretType = 'login' | 'api_key' | 'key_pair' | 'ssh_key' | 'other';

export const vaultKeys = mapping('vault_keys', {
  /** `instance`, or a workspace's id. */
  name: text(),
  masterId: buffer(),
  wrapped: buffer(),
  createdAt: number(),
});

export const secrets = mapping('secrets', {
  id: id<'secret'>(),
  workspaceId: id<'workspace'>(),
  name: text(),
  nameKey: text(),
  type: text<SecretType>(),
  tags: json<string[]>(),
  hasTotp: flag(),
  version: number(),
  sealed: buffer(),
  createdAt: number(),
  updatedAt: number(),
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
});

export const leakIndexes = mapping('leak_indexes', {
  workspaceId: id<'workspace'>(),
  generation: number(),
  sealed: buffer(),
});

export type VaultTables = TablesOf<
  typeof vaultKeys | typeof secrets | typeof secretVersions | typeof secretGrants | typeof leakIndexes
>;
