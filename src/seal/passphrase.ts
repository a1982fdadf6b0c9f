/**
 * Seals bytes with a passphrase: Argon2id (RFC 9106) derives the key, libsodium's secretstream (XChaCha20-Poly1305)
 * encrypts. Layout: salt, the stream's header, one message with the stream's final tag.
 */

import sodium from 'sodium-native';
import { toNormalForm } from '../kernel/text/normal-form.ts';

const {
  crypto_secretstream_xchacha20poly1305_HEADERBYTES: HEADER,
  crypto_secretstream_xchacha20poly1305_ABYTES: EXTRA,
} = sodium;
const SALT = sodium.crypto_pwhash_SALTBYTES;

const deriveKey = (passphrase: string, salt: Buffer): Buffer => {
  const key = sodium.sodium_malloc(sodium.crypto_secretstream_xchacha20poly1305_KEYBYTES);
  sodium.crypto_pwhash(
    key,
    Buffer.from(toNormalForm(passphrase, 'NFC')),
    salt,
    sodium.crypto_pwhash_OPSLIMIT_MODERATE,
    sodium.crypto_pwhash_MEMLIMIT_MODERATE,
    sodium.crypto_pwhash_ALG_ARGON2ID13,
  );
  return key;
};

const newState = (): Buffer => Buffer.alloc(sodium.crypto_secretstream_xchacha20poly1305_STATEBYTES);

/** Takes about half a second and 256 MiB of memory, like the opening. */
export const sealByPassphrase = (plaintext: Buffer, passphrase: string): Buffer => {
  const [salt, header] = [Buffer.alloc(SALT), Buffer.alloc(HEADER)];
  sodium.randombytes_buf(salt);
  const key = deriveKey(passphrase, salt);
  const state = newState();
  sodium.crypto_secretstream_xchacha20poly1305_init_push(state, header, key);
  const ciphertext = Buffer.alloc(plaintext.length + EXTRA);
  const tag = sodium.crypto_secretstream_xchacha20poly1305_TAG_FINAL;
  sodium.crypto_secretstream_xchacha20poly1305_push(state, ciphertext, plaintext, null, tag);
  sodium.sodium_memzero(key);
  return Buffer.concat([salt, header, ciphertext]);
};

/** @returns null for a wrong passphrase, or altered bytes */
export const openByPassphrase = (sealed: Buffer, passphrase: string): Buffer | null => {
  if (sealed.length < SALT + HEADER + EXTRA) return null;
  const key = deriveKey(passphrase, sealed.subarray(0, SALT));
  const state = newState();
  const ciphertext = sealed.subarray(SALT + HEADER);
  const [plaintext, tag] = [Buffer.alloc(ciphertext.length - EXTRA), Buffer.alloc(1)];
  try {
    sodium.crypto_secretstream_xchacha20poly1305_init_pull(state, sealed.subarray(SALT, SALT + HEADER), key);
    sodium.crypto_secretstream_xchacha20poly1305_pull(state, plaintext, tag, ciphertext, null);
  } catch {
    return null;
  } finally {
    sodium.sodium_memzero(key);
  }
  return tag[0] === sodium.crypto_secretstream_xchacha20poly1305_TAG_FINAL ? plaintext : null;
};
