/**
 * Sealed bytes: XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03) with a random 24-byte nonce, which needs no counter
 * that a restored backup would set back. Layout: version (1), nonce (24), ciphertext and tag (length + 16).
 */

import sodium from 'sodium-native';
import { requireKey } from './key-file.ts';

const VERSION = 1;
const NONCE_BYTES = sodium.crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
const TAG_BYTES = sodium.crypto_aead_xchacha20poly1305_ietf_ABYTES;
const HEAD_BYTES = 1 + NONCE_BYTES;

/** What is authenticated beside the ciphertext: the version, so that it cannot be turned back, and the context. */
const associatedData = (version: number, context: string): Buffer =>
  Buffer.concat([Buffer.of(version), Buffer.from(context, 'utf8')]);

/**
 * Seals bytes under a key.
 * @param key 32 bytes
 * @param context where the sealed bytes belong, as `secret:<id>`; not stored, and {@link open} needs the same, so
 *   that one row's bytes cannot be put into another
 */
export const seal = (key: Buffer, plaintext: Buffer, context: string): Buffer => {
  requireKey(key);
  const sealed = Buffer.alloc(HEAD_BYTES + plaintext.length + TAG_BYTES);
  const nonce = sealed.subarray(1, HEAD_BYTES);
  sealed[0] = VERSION;
  sodium.randombytes_buf(nonce);
  const ciphertext = sealed.subarray(HEAD_BYTES);
  const data = associatedData(VERSION, context);
  sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(ciphertext, plaintext, data, null, nonce, key);
  return sealed;
};

/**
 * Opens what {@link seal} made.
 * @returns the plaintext, or null where key, context or bytes are not those of the sealing
 */
export const open = (key: Buffer, sealed: Buffer, context: string): Buffer | null => {
  requireKey(key);
  if (sealed.length < HEAD_BYTES + TAG_BYTES || sealed[0] !== VERSION) return null;
  const plaintext = Buffer.alloc(sealed.length - HEAD_BYTES - TAG_BYTES);
  const nonce = sealed.subarray(1, HEAD_BYTES);
  const ciphertext = sealed.subarray(HEAD_BYTES);
  const data = associatedData(VERSION, context);
  try {
    sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(plaintext, null, ciphertext, data, nonce, key);
    return plaintext;
  } catch {
    return null;
  }
};
