/** Opens SMTP sessions, with TLS (RFC 3207) where available. */

import { SmtpSession } from './client-session.ts';
import type { SessionDestination } from './delivery-request.ts';
import type { DeliveryReply } from './session-result.ts';

export { SmtpSession } from './client-session.ts';
export type { MailToDeliver, SessionDestination, TlsFailure, TlsSecurityLevel } from './delivery-request.ts';
export type { DeliveryReply } from './session-result.ts';

/**
 * Opens a session. With opportunistic TLS, a failed handshake is followed by a second connection in clear text
 * (RFC 7435: opportunistic security does not stop delivery).
 * @returns the session, or the host's rejection or the network failure as a value
 */
export const openSession = async (destination: SessionDestination): Promise<SmtpSession | DeliveryReply> => {
  const opened = await SmtpSession.open(destination);
  if (opened instanceof SmtpSession || destination.tls.kind !== 'opportunistic') return opened;
  if (opened.kind !== 'unreachable' || opened.phase !== 'starttls') return opened;
  return SmtpSession.open({ ...destination, tls: { kind: 'none' } }, opened);
};
