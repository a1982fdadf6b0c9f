/** Callers of operations: an agent (API key, OAuth token), an owner (session), the operator (CLI), or none of them. */

import type { Address } from './address.ts';
import { ApiError } from './errors.ts';
import type { AgentId, GrantId, KeyId, MailboxId, OwnerId, WorkspaceId } from './ids.ts';

export const SCOPES = ['mail:read', 'mail:send', 'contacts', 'notes', 'vault', 'manage'] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * Which things of the workspace a key or connection may change. `own`: those that its agent made. `workspace`: those
 * that any agent made. Only persons change what a person made.
 */
export const REACHES = ['own', 'workspace'] as const;
export type Reach = (typeof REACHES)[number];

/** A scope of OAuth alone: refresh tokens are issued where it is granted. */
export const OFFLINE_ACCESS = 'offline_access' as const;

export const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text);

/** A workspace, an agent and a set of scopes, whatever proved it (an API key, an OAuth token). */
export interface AgentCaller {
  kind: 'agent';
  workspaceId: WorkspaceId;
  agentId: AgentId;
  /** Null where no mailbox backs the agent. */
  mailboxId: MailboxId | null;
  /** The API key, or the grant of an OAuth token. */
  keyId: KeyId;
  /** The grant of an OAuth token; its user may use it for several agents. */
  byGrant?: GrantId;
  /** The owner who acts in the agent's name, without a key. */
  byOwner?: Address;
  /** A person has stopped the agent: it may read. */
  isSuspended: boolean;
  scopes: ReadonlySet<Scope>;
  reach: Reach;
}

/** A person's session: reaches one workspace and nothing outside it. */
export interface OwnerCaller {
  kind: 'owner';
  workspaceId: WorkspaceId;
  /** Recorded with decisions, as `owner:ann@example.com`. */
  name: string;
}

/** The address that an owner signs in by. */
export const emailOfOwner = ({ name }: OwnerCaller): Address => name.replace(/^owner:/, '') as Address;

/** The command line on the data file: reaches the whole instance. */
export interface OperatorCaller {
  kind: 'operator';
  /** Recorded with decisions, as `cli:root`. */
  name: string;
  /** The workspace that the call names (access/reach.ts). */
  workspaceId?: WorkspaceId;
}

/** A request without authentication, for the operations that need none. */
export interface AnonymousCaller {
  kind: 'anonymous';
  /** An IPv4 address or an IPv6 /64 (net/ip/client-network.ts). */
  network: string;
  /** What its client is called (kernel/text/browser-name.ts). */
  browser: string;
}

/** A signed-in person, in any of its workspaces: reaches its own sessions and passkeys. */
export interface SessionCaller {
  kind: 'session';
  ownerId: OwnerId;
  email: Address;
  /** The secret of the session that calls. */
  secret: string;
}

export type PersonCaller = OwnerCaller | OperatorCaller;
export type Caller = AgentCaller | PersonCaller | SessionCaller | AnonymousCaller;

/** A caller of an operation that works within one workspace. */
export type WorkspaceCaller = AgentCaller | OwnerCaller | (OperatorCaller & { workspaceId: WorkspaceId });

export const isPerson = (caller: Caller): caller is PersonCaller =>
  caller.kind === 'owner' || caller.kind === 'operator';

/** The kinds of callers that an operation may be called by. */
export type Audience = Caller['kind'];

/** The ways by which calls arrive, as the activity log names them. */
export const VIAS = ['REST', 'MCP', 'submission', 'console', 'CLI', 'daemon'] as const;
export type Via = (typeof VIAS)[number];

/** The key, or the connection, of an agent's call, as the activity log names it. */
export type Credential = { by_key: KeyId } | { by_connection: KeyId };
export const toCredential = (keyId: KeyId, isGrant: boolean): Credential =>
  isGrant ? { by_connection: keyId } : { by_key: keyId };

/** @throws ApiError no_identity where no mailbox backs the caller */
export const mailboxOf = ({ mailboxId }: Pick<AgentCaller, 'mailboxId'>): MailboxId => {
  if (mailboxId === null) throw new ApiError('no_identity');
  return mailboxId;
};
