/** Opens SMTP sessions, with TLS (RFC 3207) where available. */

import { SmtpSession } from './client-session.ts';
import type { SessionDestination } from './delivery-request.ts';

export type { SmtpSession } from './client-session.ts';
export type { MailToDeliver, SessionDestination, TlsFailure, TlsSecurityLevel } from './delivery-request.ts';
export type { DeliveryReply } from './session-result.ts';

/** The session; where there is none, the host's rejection or the network failure. */
export type OpenedSession = Awaited<ReturnType<typeof SmtpSession.open>>;

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
