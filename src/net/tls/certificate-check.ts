/** Whether a host's certificate is one that we trust and is the host's own: RFC 5280, RFC 9525. */

import { checkServerIdentity, type TLSSocket } from 'node:tls';
import type { CertificateCheck, TlsFailure, TlsFailureType } from '../smtp/delivery-request.ts';

const TYPES: Readonly<Record<string, TlsFailureType>> = {
  CERT_HAS_EXPIRED: 'certificate-expired',
  CERT_NOT_YET_VALID: 'certificate-expired',
};

const chainFault = (socket: TLSSocket): TlsFailure | null => {
  if (socket.authorized) return null;
  // Node gives a code where its types say an Error.
  const code = String(socket.authorizationError);
  return { type: TYPES[code] ?? 'certificate-not-trusted', reason: `The certificate is not trusted: ${code}` };
};

/** The chain leads to an authority that is trusted, and the leaf names the host. */
export const certificateFor =
  (name: string): CertificateCheck =>
  (socket) => {
    const fault = chainFault(socket);
    if (fault) return fault;
    const mismatch = checkServerIdentity(name, socket.getPeerCertificate());
    return mismatch ? { type: 'certificate-host-mismatch', reason: mismatch.message } : null;
  };
