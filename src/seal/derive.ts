/** Keys for single purposes, from one master key: what leaks of one tells nothing of the others. */

import sodium from 'sodium-native';
import { KEY_BYTES, requireKey } from './key-file.ts';

/** Tells our derivations from any other use of the same hash under the same key. */
const DOMAIN = 'postroom key 1:';

/**
 * Derives the key of a purpose: BLAKE2b (RFC 7693) keyed by the master key.
 * @param master 32 bytes
 * @param name the purpose, as `return-path`; the same name gives the same key, for ever
 * @returns 32 bytes
 */
export const deriveKey = (master: Buffer, name: string): Buffer => {
  requireKey(master);
  const key = Buffer.alloc(KEY_BYTES);
  sodium.crypto_generichash(key, Buffer.from(DOMAIN + name, 'utf8'), master);
  return key;
};
