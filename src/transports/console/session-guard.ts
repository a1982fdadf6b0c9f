/**
 * Authenticates calls of the console's API: by the cookie's session, from a page of this origin, for one of the
 * owner's workspaces.
 */

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OwnerSession, OwnerSessions } from '../../access/owner-sessions.ts';
import type { OwnerCaller, SessionCaller } from '../../kernel/caller.ts';
import { ApiError, requireFound } from '../../kernel/errors.ts';
import { setQuotaSubject } from '../http/request-quota-subject.ts';
import { createFindSession, type FindSession, type SessionCookie } from '../pages/session-cookie.ts';

export interface GuardNeeds {
  sessions: Pick<OwnerSessions, 'find'>;
  cookie: SessionCookie;
  publicUrl: string;
}

export interface SessionGuard {
  find: FindSession;
  /**
   * Renews the cookie, so that its 14 days begin with each use.
   * @throws ApiError origin_not_allowed, not_signed_in
   */
  require(request: FastifyRequest, reply: FastifyReply): Promise<OwnerSession>;
  /** @throws ApiError origin_not_allowed for a request from another site's page */
  requireOwnPage(request: FastifyRequest): void;
  /** @throws ApiError workspace_not_found, invalid_request where none is named and the owner has several */
  callerOf(request: FastifyRequest, session: OwnerSession): OwnerCaller;
}

/** Counts a request as its owner's, and as the workspace's that it is for. Call before the body is read. */
export const countAsOwner = (
  request: FastifyRequest,
  { owner }: OwnerSession,
  caller: OwnerCaller | SessionCaller,
): void => {
  const workspace = caller.kind === 'owner' ? { workspace: caller.workspaceId } : {};
  setQuotaSubject(request, { ...workspace, key: `owner:${owner.email}` });
};

const WORKSPACE_HEADER = 'x-workspace';

/** A header, or the query where a browser can set none: downloads, frames and event streams. */
const namedWorkspace = ({ headers, query }: FastifyRequest): string | undefined => {
  const header = headers[WORKSPACE_HEADER];
  if (typeof header === 'string') return header;
  const { workspace } = query as Record<string, unknown>;
  return typeof workspace === 'string' ? workspace : undefined;
};

/**
 * A browser names the requesting site in Sec-Fetch-Site; an older one in Origin. A request without both comes from no
 * browser, so no other site can have added its cookie.
 */
const isOwnPage = ({ headers }: FastifyRequest, publicOrigin: string): boolean => {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  return headers.origin === undefined || headers.origin === publicOrigin;
};

export const createSessionGuard = ({ sessions, cookie, publicUrl }: GuardNeeds): SessionGuard => {
  const publicOrigin = new URL(publicUrl).origin;

  const find = createFindSession(sessions, cookie);

  const requireOwnPage = (request: FastifyRequest): void => {
    if (isOwnPage(request, publicOrigin)) return;
    throw new ApiError('origin_not_allowed', { hint: `The console answers to pages of ${publicOrigin} alone.` });
  };

  return {
    find,
    requireOwnPage,
    require: async (request, reply) => {
      requireOwnPage(request);
      const found = requireFound(await find(request), 'not_signed_in');
      cookie.set(reply, found.self.secret);
      return found;
    },
    callerOf: (request, session) => {
      const named = namedWorkspace(request);
      const [only, ...others] = session.workspaces;
      const found =
        named === undefined && others.length === 0
          ? only
          : session.workspaces.find(({ id, slug }) => named === id || named === slug);
      const caller = found && session.callerIn(found.id);
      if (caller) return caller;
      if (named !== undefined || !only) throw new ApiError('workspace_not_found', { fields: { workspace: named } });
      throw new ApiError('invalid_request', {
        hint: `Name the workspace in the header ${WORKSPACE_HEADER}, by its slug.`,
      });
    },
  };
};
