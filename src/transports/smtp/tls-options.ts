/** TLS options of the SMTP listeners: 1.2 and 1.3, ciphers with forward secrecy and AEAD only (Mozilla's intermediate list). */

import { constants } from 'node:crypto';
import type { TlsOptions } from 'node:tls';

export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

export const toTlsOptions = ({ cert, key }: Certificate): TlsOptions => ({
  cert,
  key,
  minVersion: 'TLSv1.2',
  ciphers: CIPHERS,
  honorCipherOrder: true,
  // Renegotiation lets a client demand repeated handshakes, whose cost is the server's.
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
});
