/** The tables of OAuth: registered clients, grants, and the requests, codes and tokens under way. */

import type { Reach, Scope } from '../../kernel/caller.ts';
import type { AgentId } from '../../kernel/ids.ts';
import { buffer, flag, id, json, mapping, number, text } from '../mapping.ts';

export const oauthClients = mapping('oauth_clients', {
  id: text(),
  /** As RFC 7591 names it. */
  metadata: json<Record<string, unknown>>(),
  createdAt: number(),
  lastUsedAt: number(),
});

export const oauthGrants = mapping('oauth_grants', {
  id: id<'grant'>(),
  ownerId: id<'owner'>(),
  clientId: text(),
  /** As the client calls itself. */
  clientName: text(),
  /** The redirect target of the first request: a host, or a scheme of the client's own. */
  redirectHost: text(),
  scopes: json<readonly Scope[]>(),
  reach: text<Reach>(),
  /** Whether its tokens can be refreshed. */
  isOffline: flag(),
  /** Null: every agent that the owner has. */
  agents: json<readonly AgentId[]>().nullable(),
  createdAt: number(),
  lastUsedAt: number().nullable(),
  /** The latest expiry of its codes and tokens. */
  expiresAt: number(),
});

export const oauthRecords = mapping('oauth_records', {
  kind: text(),
  hash: buffer(),
  grantId: id<'grant'>().nullable(),
  payload: json<Record<string, unknown>>(),
  expiresAt: number(),
  consumedAt: number().nullable(),
}).keyedBy('kind', 'hash');
