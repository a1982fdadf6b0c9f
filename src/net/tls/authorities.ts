/** The authorities that a certificate of another host is verified by. */

import { createSecureContext, getCACertificates, type SecureContext, type SecureContextOptions } from 'node:tls';

const contexts = new Map<string, SecureContext>();

/** Node's own and those of one more file. Made once: to read all of them for each connection takes longer than its handshake. */
export const trustAlso = (extraCa: string, options: SecureContextOptions = {}): SecureContext => {
  const key = `${options.ciphers} ${extraCa}`;
  const context =
    contexts.get(key) ?? createSecureContext({ ...options, ca: [...getCACertificates('default'), extraCa] });
  contexts.set(key, context);
  return context;
};
