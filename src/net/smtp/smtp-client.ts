/** Opens SMTP sessions, with TLS (RFC 3207) where available. */

import { type OpenedSession, SmtpSession } from './client-session.ts';
import type { SessionDestination } from './delivery-request.ts';

export type { OpenedSession, SmtpSession } from './client-session.ts';
export type { MailToDeliver, SessionDestination, TlsFailure, TlsSecurityLevel } from './delivery-request.ts';
export type { DeliveryReply } from './session-result.ts';

/**
 * Opens a session. With opportunistic TLS, a failed handshake is followed by a second connection in clear text
 * (RFC 7435: opportunistic security does not stop delivery).
 */
export const openSession = async (destination: SessionDestination): Promise<OpenedSession> => {
  const opened = await SmtpSession.open(destination);
  if (opened.kind === 'open' || destination.tls.kind !== 'opportunistic') return opened;
  const { reply } = opened;
  if (reply.kind !== 'unreachable' || reply.phase !== 'starttls') return opened;
  return SmtpSession.open({ ...destination, tls: { kind: 'none' } }, reply);
};
