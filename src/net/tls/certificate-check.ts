/** Verifies a host's certificate by the web PKI (RFC 5280, RFC 9525). */

import { checkServerIdentity, type TLSSocket } from 'node:tls';
import type { CertificateCheck, TlsFailure, TlsFailureType } from '../smtp/delivery-request.ts';

const TYPES: Readonly<Record<string, TlsFailureType>> = {
  CERT_HAS_EXPIRED: 'certificate-expired',
  CERT_NOT_YET_VALID: 'certificate-expired',
};

const checkChain = (socket: TLSSocket): TlsFailure | null => {
  if (socket.authorized) return null;
  // Node sets a code here, although its types declare an Error.
  const code = String(socket.authorizationError);
  return { type: TYPES[code] ?? 'certificate-not-trusted', reason: `The certificate is not trusted: ${code}` };
};

/** Checks that the chain ends at a trusted authority and that the leaf matches the host name. */
export const certificateFor =
  (name: string): CertificateCheck =>
  (socket) => {
    const failure = checkChain(socket);
    if (failure) return failure;
    const mismatch = checkServerIdentity(name, socket.getPeerCertificate());
    return mismatch ? { type: 'certificate-host-mismatch', reason: mismatch.message } : null;
  };
