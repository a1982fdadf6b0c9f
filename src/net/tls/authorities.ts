/** The authorities that a certificate of another host is verified by. */

import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';

const contexts = new Map<string, SecureContext>();

/** Node's own and those of one more file. Made once: to read all of them for each connection takes longer than its handshake. */
export const trustAlso = (extraCa: string): SecureContext => {
  const context = contexts.get(extraCa) ?? createSecureContext({ ca: [...getCACertificates('default'), extraCa] });
  contexts.set(extraCa, context);
  return context;
};
