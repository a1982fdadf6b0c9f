/** The cookies of owners' pages (RFC 6265): the session, and the page to open after a sign-in. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { type OwnerSession, type OwnerSessions, SESSION_IDLE_MS } from '../../access/owner-sessions.ts';
import { HOUR, type Millis, SECOND } from '../../kernel/clock.ts';

interface PageCookie {
  /** Its value; null where the request has none. */
  read(request: FastifyRequest): string | null;
  set(reply: FastifyReply, value: string): FastifyReply;
  clear(reply: FastifyReply): FastifyReply;
}

/** Over HTTPS with the prefix that makes browsers refuse a cookie set by another host or by plain HTTP. */
const createCookie = (publicUrl: string, bareName: string, lifeMs: Millis): PageCookie => {
  const isSecure = publicUrl.startsWith('https:');
  const name = isSecure ? `__Host-${bareName}` : bareName;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  /** No cache keeps an answer with a cookie, whatever its status: a 404 may be kept without leave (RFC 9111 section 4.2.2). */
  const write = (reply: FastifyReply, value: string, seconds: number): FastifyReply =>
    reply
      .header('set-cookie', `${name}=${value}; Max-Age=${seconds}; ${attributes}`)
      .header('cache-control', 'no-store');
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
export const SIGN_IN = '/console/sign-in';
/** Where each sign-in leads: on to the remembered page, or to what a browser that refused the cookie is told. */
export const SIGNED_IN = `${SIGN_IN}?done`;
/**
 * Accepted pages: one of the console with its search, or the consent page of an authorization request by its stored
 * id. Only characters of such links: no host, no scheme, no other page.
 */
const OWN_PATH =
  /^(?:\/console\/(?!sign-|api\/|assets\/|frame\/)[\w./%~@+-]{0,300}(?:\?[\w.%~@+*=&-]{0,300})?|\/oauth\/approve\/[A-Za-z0-9_-]{16,64})$/;
/** The lifetime of an authorization request; a sign-in link is valid for less. */
const REMEMBERED_MS = HOUR;

export const consentPath = (requestId: string): string => `/oauth/approve/${requestId}`;

/** The session's secret. */
export interface SessionCookie extends PageCookie {
  /**
   * Stores the page that was requested without a session.
   * @param client the waiting application, as the sign-in page shows it: one line, bounded
   */
  remember(reply: FastifyReply, path: string, client?: string): FastifyReply;
  /** The application that waits for this sign-in; null: none. */
  waitingClient(request: FastifyRequest): string | null;
  /** The page to open after signing in, once: the stored one, else the console's first. */
  takeRemembered(request: FastifyRequest, reply: FastifyReply): string;
}

export const createSessionCookie = (publicUrl: string): SessionCookie => {
  const remembered = createCookie(publicUrl, 'postroom_next', REMEMBERED_MS);
  return {
    ...createCookie(publicUrl, 'postroom_session', SESSION_IDLE_MS),
    remember: (reply, path, client) => {
      if (!OWN_PATH.test(path) || path === CONSOLE) return reply;
      return remembered.set(
        reply,
        client === undefined ? path : `${path}#${Buffer.from(client).toString('base64url')}`,
      );
    },
    waitingClient: (request) => {
      const [path = '', client] = (remembered.read(request) ?? '').split('#');
      return client !== undefined && OWN_PATH.test(path) ? Buffer.from(client, 'base64url').toString() : null;
    },
    takeRemembered: (request, reply) => {
      const kept = remembered.read(request);
      if (kept === null) return CONSOLE;
      remembered.clear(reply);
      const [path = ''] = kept.split('#', 1);
      return OWN_PATH.test(path) ? path : CONSOLE;
    },
  };
};

export type FindSession = (request: FastifyRequest) => Promise<OwnerSession | null>;

/** Finds the session of a request's cookie; null without one that is valid. */
export const createFindSession =
  (sessions: Pick<OwnerSessions, 'find'>, cookie: Pick<SessionCookie, 'read'>): FindSession =>
  async (request) => {
    const secret = cookie.read(request);
    return secret === null ? null : sessions.find(secret);
  };
