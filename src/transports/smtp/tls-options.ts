import { constants } from 'node:crypto';
import type { TlsOptions } from 'node:tls';

export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

const TLS_13 = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];
/** Forward secrecy and AEAD only (Mozilla's intermediate list). */
const STRICT = [
  ...TLS_13,
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/**
 * Postfix's defaults for opportunistic TLS (`smtpd_tls_protocols`, `smtpd_tls_ciphers = medium`): a sender limited to
 * them would otherwise send in the clear (RFC 7435 section 3).
 */
const OPPORTUNISTIC = [
  ...TLS_13,
  'HIGH',
  'MEDIUM',
  '!aNULL',
  '!eNULL',
  '!PSK',
  '!SRP',
  '@SECLEVEL=0',
  '@STRENGTH',
].join(':');

/** `strict`: passwords are sent, or the client verifies. `opportunistic`: mail comes in the clear otherwise. */
export type TlsStrength = 'strict' | 'opportunistic';

export const toTlsOptions = ({ cert, key }: Certificate, strength: TlsStrength): TlsOptions => ({
  cert,
  key,
  ...(strength === 'strict'
    ? { minVersion: 'TLSv1.2', ciphers: STRICT }
    : { minVersion: 'TLSv1', ciphers: OPPORTUNISTIC, dhparam: 'auto' }),
  honorCipherOrder: true,
  // Renegotiation lets a client demand repeated handshakes, which cost the server more.
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
});
