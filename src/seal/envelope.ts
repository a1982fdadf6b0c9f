/**
 * Seals bytes with XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03) and a random 24-byte nonce, because a counter would
 * repeat after a backup is restored. Layout: version (1), nonce (24), ciphertext and tag (length + 16).
 */

import sodium from 'sodium-native';
import { guardedBytes, release } from './guarded-memory.ts';
import { requireKey } from './key-file.ts';

const VERSION = 1;
const NONCE_BYTES = sodium.crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
const TAG_BYTES = sodium.crypto_aead_xchacha20poly1305_ietf_ABYTES;
const HEAD_BYTES = 1 + NONCE_BYTES;

/** Authenticated in addition to the ciphertext: the version, which prevents a downgrade, and the context. */
const associatedData = (version: number, context: string): Buffer =>
  Buffer.concat([Buffer.of(version), Buffer.from(context, 'utf8')]);

/**
 * Seals bytes with a key.
 * @param key 32 bytes
 * @param context identifies the place of the sealed bytes, as `secret:<id>`; not stored, and required by {@link open},
 *   so that one row's bytes are invalid in another
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
 * Opens the result of {@link seal}.
 * @returns the plaintext, or null where key, context or bytes differ from the sealing
 */
export const open = (key: Buffer, sealed: Buffer, context: string): Buffer | null =>
  openInto(Buffer.alloc, key, sealed, context);

/** The same, with the plaintext in guarded memory, which the caller releases. */
export const openGuarded = (key: Buffer, sealed: Buffer, context: string): Buffer | null =>
  openInto(guardedBytes, key, sealed, context);

const openInto = (allocate: (size: number) => Buffer, key: Buffer, sealed: Buffer, context: string): Buffer | null => {
  requireKey(key);
  if (sealed.length < HEAD_BYTES + TAG_BYTES || sealed[0] !== VERSION) return null;
  const plaintext = allocate(sealed.length - HEAD_BYTES - TAG_BYTES);
  const nonce = sealed.subarray(1, HEAD_BYTES);
  const ciphertext = sealed.subarray(HEAD_BYTES);
  const data = associatedData(VERSION, context);
  try {
    sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(plaintext, null, ciphertext, data, nonce, key);
    return plaintext;
  } catch {
    release(plaintext);
    return null;
  }
};
