/** Callers of operations: an agent (API key, OAuth token), an owner (session), the operator (CLI), or none of them. */

import type { Address } from './address.ts';
import { ApiError } from './errors.ts';
import type { AgentId, GrantId, KeyId, MailboxId, OwnerId, WorkspaceId } from './ids.ts';

export const SCOPES = ['mail:read', 'mail:send', 'contacts', 'notes', 'vault', 'manage'] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * What a key or a connection reaches beyond its own agent's mailbox. `own`: of what the workspace shares it changes only
 * what its agent made. `workspace`: what every agent made. What a person made is changed by persons alone.
 */
export const REACHES = ['own', 'workspace'] as const;
export type Reach = (typeof REACHES)[number];

/** Of OAuth alone: refresh tokens are issued where it is granted. */
export const OFFLINE_ACCESS = 'offline_access' as const;

export const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text);

/** A workspace, an agent and a set of scopes, whatever proved it (an API key, an OAuth token). */
export interface AgentCaller {
  kind: 'agent';
  workspaceId: WorkspaceId;
  agentId: AgentId;
  /** Null where no mailbox backs the agent. */
  mailboxId: MailboxId | null;
  /** The API key's, or the grant's that a token came by. */
  keyId: KeyId;
  /** The grant of the OAuth token that proved it, which its user may use for several agents. */
  byGrant?: GrantId;
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
  /** The one that its call names (access/reach.ts). */
  workspaceId?: WorkspaceId;
}

/** A request without authentication, for the operations that need none. */
export interface AnonymousCaller {
  kind: 'anonymous';
  /** An IPv4 address or an IPv6 /64 (net/ip/client-network.ts). */
  network: string;
}

/** A signed-in person, whichever of its workspaces is shown: reaches its own sessions and passkeys. */
export interface SessionCaller {
  kind: 'session';
  ownerId: OwnerId;
  email: Address;
  /** Of the session that calls. */
  secret: string;
}

export type PersonCaller = OwnerCaller | OperatorCaller;
export type Caller = AgentCaller | PersonCaller | SessionCaller | AnonymousCaller;

/** A caller of an operation that works within one workspace. */
export type WorkspaceCaller = AgentCaller | OwnerCaller | (OperatorCaller & { workspaceId: WorkspaceId });

export const isPerson = (caller: Caller): caller is PersonCaller =>
  caller.kind === 'owner' || caller.kind === 'operator';

/** Audience of what agents do in their workspace, and persons in the one that they name. */
export const EVERYONE = ['agent', 'owner', 'operator'] as const;
/** The same without the operator. */
export const AGENT_AND_OWNER = ['agent', 'owner'] as const;
/** Audiences of persons' acts. What concerns the whole instance is the operator's alone. */
export const PERSONS = ['owner', 'operator'] as const;
export const OPERATOR = ['operator'] as const;
/** Of what the console alone shows: the command line has other ways to it, or no use for it. */
export const OWNER = ['owner'] as const;
/** Of a person's own sessions and passkeys, and of signing in. */
export const SESSION = ['session'] as const;
export const ANONYMOUS = ['anonymous'] as const;

/** The kinds of callers that an operation may be called by. */
export type Audience = Caller['kind'];

/** The ways by which acts come, as the activity log names them. */
export const VIAS = ['REST', 'MCP', 'submission', 'console', 'CLI', 'daemon'] as const;
export type Via = (typeof VIAS)[number];

/** @throws ApiError no_identity where no mailbox backs the caller */
export const mailboxOf = ({ mailboxId }: Pick<AgentCaller, 'mailboxId'>): MailboxId => {
  if (mailboxId === null) throw new ApiError('no_identity');
  return mailboxId;
};
