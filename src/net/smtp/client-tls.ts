import { constants } from 'node:crypto';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { trustAlso } from '../tls/authorities.ts';
import { OPPORTUNISTIC } from '../tls/opportunistic.ts';
import type { TlsSecurityLevel, TlsState } from './delivery-request.ts';

/** An early host without secure renegotiation (RFC 5746) is taken too: its mail would go in the clear. */
const WEAK = { ...OPPORTUNISTIC, secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT };

/**
 * RFC 7435: without a policy for the certificate, an unverified one is better than none; with a policy, its check
 * decides.
 */
export const toTlsOptions = (hostname: string, level: TlsSecurityLevel): ConnectionOptions => {
  const isName = !/^[\d.]+$|:/.test(hostname);
  const extraCa = level.kind === 'none' ? null : level.extraCa;
  const strength = level.kind === 'opportunistic' ? WEAK : {};
  return {
    rejectUnauthorized: false,
    // Verifies the chain only; the policy's check verifies names.
    checkServerIdentity: () => undefined,
    ...(isName && { servername: hostname }),
    ...(extraCa ? { secureContext: trustAlso(extraCa, strength) } : strength),
  };
};

export const readTlsState = (socket: TLSSocket): TlsState => ({
  protocol: socket.getProtocol() ?? 'unknown',
});
