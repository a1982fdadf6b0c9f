/** The cookie that an owner's session has (RFC 6265). */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_IDLE_MS } from '../../access/owner-sessions.ts';
import { SECOND } from '../../kernel/clock.ts';

export interface SessionCookie {
  /** The session's secret; null where the request has none. */
  read(request: FastifyRequest): string | null;
  set(reply: FastifyReply, secret: string): FastifyReply;
  clear(reply: FastifyReply): FastifyReply;
}

/** Over HTTPS with the prefix by which browsers refuse a cookie that another host or plain HTTP has set. */
export const createSessionCookie = (publicUrl: string): SessionCookie => {
  const isSecure = publicUrl.startsWith('https:');
  const name = isSecure ? '__Host-postroom_session' : 'postroom_session';
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const write = (reply: FastifyReply, value: string, seconds: number): FastifyReply =>
    reply.header('set-cookie', `${name}=${value}; Max-Age=${seconds}; ${attributes}`);
  return {
    read: ({ headers }) => {
      const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
      const found = pairs.find((pair) => pair.startsWith(`${name}=`));
      return found === undefined ? null : found.slice(name.length + 1);
    },
    set: (reply, secret) => write(reply, secret, SESSION_IDLE_MS / SECOND),
    clear: (reply) => write(reply, '', 0),
  };
};
