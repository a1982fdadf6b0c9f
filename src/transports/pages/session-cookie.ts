/** The cookie that an owner's session has (RFC 6265). */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_IDLE_MS } from '../../access/owner-sessions.ts';
import { SECOND } from '../../kernel/clock.ts';

export interface SessionCookie {
  /** The session's secret; null where the request has none. */
  read(request: FastifyRequest): string | null;
  set(reply: FastifyReply, secret: string): FastifyReply;
  clear(reply: FastifyReply): FastifyReply;
  /** Keeps the page of the console that was asked for without a session, for as long as a sign-in link works. */
  remember(reply: FastifyReply, path: string): FastifyReply;
  /** The page to open after signing in, once: the one that was asked for before, else the console's first. */
  takeRemembered(request: FastifyRequest, reply: FastifyReply): string;
}

const CONSOLE = '/console/';
/** A path below the console, of the characters that its own links have: no host, no scheme, no other page. */
const OWN_PATH = /^\/console\/(?!sign-|api\/|assets\/|frame\/)[\w./%~@+-]{0,300}$/;
const REMEMBERED_SECONDS = 15 * 60;

/** Over HTTPS with the prefix by which browsers refuse a cookie that another host or plain HTTP has set. */
export const createSessionCookie = (publicUrl: string): SessionCookie => {
  const isSecure = publicUrl.startsWith('https:');
  const name = isSecure ? '__Host-postroom_session' : 'postroom_session';
  const nextName = 'postroom_next';
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const writeTo = (reply: FastifyReply, cookie: string, value: string, seconds: number): FastifyReply =>
    reply.header('set-cookie', `${cookie}=${value}; Max-Age=${seconds}; ${attributes}`);
  const write = (reply: FastifyReply, value: string, seconds: number): FastifyReply =>
    writeTo(reply, name, value, seconds);
  const readFrom = ({ headers }: FastifyRequest, cookie: string): string | null => {
    const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
    const found = pairs.find((pair) => pair.startsWith(`${cookie}=`));
    return found === undefined ? null : found.slice(cookie.length + 1);
  };
  return {
    read: (request) => readFrom(request, name),
    set: (reply, secret) => write(reply, secret, SESSION_IDLE_MS / SECOND),
    clear: (reply) => write(reply, '', 0),
    remember: (reply, path) =>
      OWN_PATH.test(path) && path !== CONSOLE ? writeTo(reply, nextName, path, REMEMBERED_SECONDS) : reply,
    takeRemembered: (request, reply) => {
      const path = readFrom(request, nextName);
      if (path === null) return CONSOLE;
      writeTo(reply, nextName, '', 0);
      return OWN_PATH.test(path) ? path : CONSOLE;
    },
  };
};
