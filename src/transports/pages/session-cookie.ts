/** The cookies of owners' pages (RFC 6265): the session, and where to go on after a sign-in. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_IDLE_MS } from '../../access/owner-sessions.ts';
import { HOUR, MINUTE, type Millis, SECOND } from '../../kernel/clock.ts';

interface PageCookie {
  /** Its value; null where the request has none. */
  read(request: FastifyRequest): string | null;
  set(reply: FastifyReply, value: string): FastifyReply;
  clear(reply: FastifyReply): FastifyReply;
}

/** Over HTTPS with the prefix by which browsers refuse a cookie that another host or plain HTTP has set. */
const createCookie = (publicUrl: string, bareName: string, lifeMs: Millis): PageCookie => {
  const isSecure = publicUrl.startsWith('https:');
  const name = isSecure ? `__Host-${bareName}` : bareName;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const write = (reply: FastifyReply, value: string, seconds: number): FastifyReply =>
    reply.header('set-cookie', `${name}=${value}; Max-Age=${seconds}; ${attributes}`);
  return {
    read: ({ headers }) => {
      const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
      const found = pairs.find((pair) => pair.startsWith(`${name}=`));
      return found === undefined ? null : found.slice(name.length + 1);
    },
    set: (reply, value) => write(reply, value, lifeMs / SECOND),
    clear: (reply) => write(reply, '', 0),
  };
};

const CONSOLE = '/console/';
/** A path below the console, of the characters that its own links have: no host, no scheme, no other page. */
const OWN_PATH = /^\/console\/(?!sign-|api\/|assets\/|frame\/)[\w./%~@+-]{0,300}$/;
/** For as long as a sign-in link works. */
const REMEMBERED_MS = 15 * MINUTE;

/** The session's secret. */
export interface SessionCookie extends PageCookie {
  /** Keeps the page of the console that was asked for without a session. */
  remember(reply: FastifyReply, path: string): FastifyReply;
  /** The page to open after signing in, once: the one that was asked for before, else the console's first. */
  takeRemembered(request: FastifyRequest, reply: FastifyReply): string;
}

export const createSessionCookie = (publicUrl: string): SessionCookie => {
  const remembered = createCookie(publicUrl, 'postroom_next', REMEMBERED_MS);
  return {
    ...createCookie(publicUrl, 'postroom_session', SESSION_IDLE_MS),
    remember: (reply, path) => (OWN_PATH.test(path) && path !== CONSOLE ? remembered.set(reply, path) : reply),
    takeRemembered: (request, reply) => {
      const path = remembered.read(request);
      if (path === null) return CONSOLE;
      remembered.clear(reply);
      return OWN_PATH.test(path) ? path : CONSOLE;
    },
  };
};

/** A request is approved by the id that the store has it under. The name of its client follows, in base64url. */
const REQUEST = /^([A-Za-z0-9_-]{16,64})\.([A-Za-z0-9_-]{0,600})$/;

export const approvalPath = (requestId: string): string => `/oauth/approve/${requestId}`;

export interface ReturnCookie {
  /** @param clientName as the sign-in shows it: one line, bounded */
  set(reply: FastifyReply, requestId: string, clientName: string): FastifyReply;
  /** The name of the client that waits; null where none does. */
  clientName(request: FastifyRequest): string | null;
  /** Takes the cookie away. @returns the path to go on to after the sign-in; null where no request waits */
  take(request: FastifyRequest, reply: FastifyReply): string | null;
}

/**
 * The authorization request that waits while its owner signs in: the id of one in the store, never an address, so that it
 * leads to an approval page of this instance or to nothing.
 */
export const createReturnCookie = (publicUrl: string): ReturnCookie => {
  const cookie = createCookie(publicUrl, 'postroom_return', HOUR);
  return {
    set: (reply, requestId, clientName) =>
      cookie.set(reply, `${requestId}.${Buffer.from(clientName).toString('base64url')}`),
    clientName: (request) => {
      const [, , name] = REQUEST.exec(cookie.read(request) ?? '') ?? [];
      return name === undefined ? null : Buffer.from(name, 'base64url').toString();
    },
    take: (request, reply) => {
      const value = cookie.read(request);
      if (value === null) return null;
      cookie.clear(reply);
      const [, id] = REQUEST.exec(value) ?? [];
      return id === undefined ? null : approvalPath(id);
    },
  };
};
