/** Secrets of links and sessions: shown once, stored as a hash. */

import sodium from 'sodium-native';

const SECRET_BYTES = 32;
const FORM = /^[A-Za-z0-9_-]{43}$/;

/** 43 base64url characters of 32 random bytes. */
const newSecretToken = (): string => {
  const bytes = Buffer.alloc(SECRET_BYTES);
  sodium.randombytes_buf(bytes);
  return bytes.toString('base64url');
};

/**
 * Hashes a token for the store: 32 bytes of BLAKE2b (RFC 7693). The time of a look-up by the hash of 256 random bits
 * reveals nothing.
 * @returns null for a text that has not the form of a token, which needs no look-up
 */
export const hashSecretToken = (token: string): Buffer | null => {
  if (!FORM.test(token)) return null;
  const hash = Buffer.alloc(32);
  sodium.crypto_generichash(hash, Buffer.from(token, 'utf8'));
  return hash;
};

export interface NewSecret {
  token: string;
  hash: Buffer;
}

export const newSecret = (): NewSecret => {
  const token = newSecretToken();
  const hash = hashSecretToken(token);
  if (!hash) throw new Error('A new token has not the form of one.');
  return { token, hash };
};
