/** Derives single-purpose keys from a master key: a leaked one reveals nothing about the others. */

import sodium from 'sodium-native';
import { KEY_BYTES, requireKey } from './key-file.ts';

/** Separates these derivations from other uses of the hash with the same key. */
const DOMAIN = 'postroom key 1:';

/**
 * Derives the key of a purpose: BLAKE2b (RFC 7693) keyed by the master key.
 * @param master 32 bytes
 * @param name the purpose, as `return-path`; the same name always yields the same key
 * @returns 32 bytes
 */
export const deriveKey = (master: Buffer, name: string): Buffer => {
  requireKey(master);
  const key = Buffer.alloc(KEY_BYTES);
  sodium.crypto_generichash(key, Buffer.from(DOMAIN + name, 'utf8'), master);
  return key;
};
