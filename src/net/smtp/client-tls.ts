/** How a session's TLS is begun, and what came of it. */

import { type ConnectionOptions, rootCertificates, type TLSSocket } from 'node:tls';
import type { TlsState } from './delivery-request.ts';

/**
 * RFC 7435: without a policy that says which certificate to expect, an unverified one is better than none; with one, it is
 * the check that decides.
 */
export const tlsOptionsOf = (hostname: string, extraCa: string | null): ConnectionOptions => {
  const isName = !/^[\d.]+$|:/.test(hostname);
  return {
    rejectUnauthorized: false,
    // The chain alone: which name counts is the check's business.
    checkServerIdentity: () => undefined,
    ...(isName && { servername: hostname }),
    // A list given to TLS replaces the one it has.
    ...(extraCa && { ca: [...rootCertificates, extraCa] }),
  };
};

export const tlsStateOf = (socket: TLSSocket): TlsState => ({
  protocol: socket.getProtocol() ?? 'unknown',
  cipher: socket.getCipher().standardName,
});
