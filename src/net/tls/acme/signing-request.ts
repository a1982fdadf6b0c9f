/** A certificate's key, and the request to sign it (RFC 2986). */

import acme from 'acme-client';

/** RSA, because twenty-year-old mail hosts still send. */
const KEY_BITS = 2048;

/**
 * The names stand in subjectAltName alone: a common name has 64 characters at most, and authorities refuse a longer one.
 * @returns the key and the request, PEM
 */
export const createSigningRequest = async (names: readonly string[]): Promise<[key: Buffer, csr: Buffer]> =>
  acme.crypto.createCsr({ altNames: [...names] }, await acme.crypto.createPrivateRsaKey(KEY_BITS));
