import { constants } from 'node:crypto';
import type { TlsOptions } from 'node:tls';
import { OPPORTUNISTIC, TLS_13 } from '../../net/tls/opportunistic.ts';

export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

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

/** `strict`: passwords are sent, or the client verifies. `opportunistic`: mail comes in the clear otherwise. */
export type TlsStrength = 'strict' | 'opportunistic';

export const toTlsOptions = ({ cert, key }: Certificate, strength: TlsStrength): TlsOptions => ({
  cert,
  key,
  ...(strength === 'strict' ? { minVersion: 'TLSv1.2', ciphers: STRICT } : { ...OPPORTUNISTIC, dhparam: 'auto' }),
  honorCipherOrder: true,
  // Renegotiation lets a client demand repeated handshakes, which cost the server more.
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
});
