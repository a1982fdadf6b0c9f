/** TLS where mail goes in the clear otherwise: an early version is better than none (RFC 7435 section 3). */

import type { SecureContextOptions } from 'node:tls';

export const TLS_13 = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'] as const;

/** Postfix's defaults, in both directions (`smtpd_tls_protocols`, `smtpd_tls_ciphers = medium`, and so `smtp_tls_`). */
export const OPPORTUNISTIC = {
  minVersion: 'TLSv1',
  ciphers: [...TLS_13, 'HIGH', 'MEDIUM', '!aNULL', '!eNULL', '!PSK', '!SRP', '@SECLEVEL=0', '@STRENGTH'].join(':'),
} satisfies SecureContextOptions;
