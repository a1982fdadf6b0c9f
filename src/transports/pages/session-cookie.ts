/** The cookies of owners' pages (RFC 6265): the session, and where to go on after a sign-in. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_IDLE_MS } from '../../access/owner-sessions.ts';
import { HOUR, type Millis, SECOND } from '../../kernel/clock.ts';

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
/**
 * A page of the console with what is looked for there, or the approval of an authorization request by the id that the store
 * has it under; of the characters that their own links have: no host, no scheme, no other page.
 */
const OWN_PATH =
  /^(?:\/console\/(?!sign-|api\/|assets\/|frame\/)[\w./%~@+-]{0,300}(?:\?[\w.%~@+*=&-]{0,300})?|\/oauth\/approve\/[A-Za-z0-9_-]{16,64})$/;
/** As long as an authorization request waits; a sign-in link works for less. */
const REMEMBERED_MS = HOUR;

export const approvalPath = (requestId: string): string => `/oauth/approve/${requestId}`;

/** The session's secret. */
export interface SessionCookie extends PageCookie {
  /**
   * Keeps the page that was asked for without a session.
   * @param client the application that waits for it, as the sign-in shows it: one line, bounded
   */
  remember(reply: FastifyReply, path: string, client?: string): FastifyReply;
  /** The application that waits for who signs in; null where none does. */
  waitingClient(request: FastifyRequest): string | null;
  /** The page to open after signing in, once: the one that was asked for before, else the console's first. */
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
