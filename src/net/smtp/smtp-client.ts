/** Opens SMTP sessions, with TLS (RFC 3207) where that can be had. */

import { SmtpSession } from './client-session.ts';
import type { SessionTarget } from './delivery-request.ts';
import type { DeliveryReply } from './session-result.ts';

export { SmtpSession } from './client-session.ts';
export type { MailToDeliver, SessionTarget, TlsFailure, TlsSecurityLevel } from './delivery-request.ts';
export type { DeliveryReply } from './session-result.ts';

/**
 * Opens a session. Where TLS is wanted but not required and the handshake fails, the session is in the clear, over a
 * second connection (RFC 7435: opportunistic security does not stop delivery).
 * @returns what the host said, or that it could not be asked, where there is no session; network failures are values
 */
export const openSession = async (target: SessionTarget): Promise<SmtpSession | DeliveryReply> => {
  const opened = await SmtpSession.open(target);
  if (opened instanceof SmtpSession || target.tls.kind !== 'opportunistic') return opened;
  if (opened.kind !== 'unreachable' || opened.phase !== 'starttls') return opened;
  return SmtpSession.open({ ...target, tls: { kind: 'none' } }, opened);
};
