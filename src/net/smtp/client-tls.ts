import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { trustAlso } from '../tls/authorities.ts';
import type { TlsState } from './delivery-request.ts';

/**
 * RFC 7435: without a policy for the certificate, an unverified one is better than none; with a policy, its check
 * decides.
 */
export const toTlsOptions = (hostname: string, extraCa: string | null): ConnectionOptions => {
  const isName = !/^[\d.]+$|:/.test(hostname);
  return {
    rejectUnauthorized: false,
    // Verifies the chain only; the policy's check verifies names.
    checkServerIdentity: () => undefined,
    ...(isName && { servername: hostname }),
    ...(extraCa && { secureContext: trustAlso(extraCa) }),
  };
};

export const readTlsState = (socket: TLSSocket): TlsState => ({
  protocol: socket.getProtocol() ?? 'unknown',
});
