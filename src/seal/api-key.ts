/** API keys: shown once, stored as a hash. */

import sodium from 'sodium-native';
import type { RandomBytes } from '../kernel/clock.ts';

export const API_KEY_PREFIX = 'svc_';
const SECRET_BYTES = 32;
const FORM = /^svc_[A-Za-z0-9_-]{43}$/;

const sodiumRandom: RandomBytes = (size) => {
  const bytes = Buffer.alloc(size);
  sodium.randombytes_buf(bytes);
  return bytes;
};

/** Generates a key: `svc_` and 43 base64url characters of 32 random bytes. */
export const newApiKey = (random: RandomBytes = sodiumRandom): string =>
  API_KEY_PREFIX + Buffer.from(random(SECRET_BYTES)).toString('base64url');

/** Whether a text has the form of a key; any other text needs no look-up. */
export const looksLikeApiKey = (text: string): boolean => FORM.test(text);

/**
 * Hashes a key for the store: 32 bytes of BLAKE2b (RFC 7693). A slow password hash would add no security to 256 random
 * bits, and would slow down every request.
 */
export const hashApiKey = (key: string): Buffer => {
  const hash = Buffer.alloc(32);
  sodium.crypto_generichash(hash, Buffer.from(key, 'utf8'));
  return hash;
};
