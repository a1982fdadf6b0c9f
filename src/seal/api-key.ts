/** API keys: shown once, kept as a hash. */

import sodium from 'sodium-native';
import type { RandomBytes } from '../kernel/clock.ts';

const PREFIX = 'svc_';
const SECRET_BYTES = 32;
const FORM = /^svc_[A-Za-z0-9_-]{43}$/;

const sodiumRandom: RandomBytes = (size) => {
  const bytes = Buffer.alloc(size);
  sodium.randombytes_buf(bytes);
  return bytes;
};

/** A new key: `svc_` and 43 base64url characters, which are 32 random bytes. */
export const newApiKey = (random: RandomBytes = sodiumRandom): string =>
  PREFIX + Buffer.from(random(SECRET_BYTES)).toString('base64url');

/** Whether a text has a key's form, so that nothing else costs a look-up. */
export const looksLikeApiKey = (text: string): boolean => FORM.test(text);

/**
 * The 32 bytes that stand for a key in the store (BLAKE2b, RFC 7693). A slow password hash would buy nothing:
 * 256 random bits cannot be guessed, and each request pays for this.
 */
export const hashApiKey = (key: string): Buffer => {
  const hash = Buffer.alloc(32);
  sodium.crypto_generichash(hash, Buffer.from(key, 'utf8'));
  return hash;
};
