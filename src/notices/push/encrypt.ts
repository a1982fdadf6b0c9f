/** Encrypts a push message to a browser (RFC 8291), as one record of aes128gcm (RFC 8188). */

import { createCipheriv, createECDH, ECDH, hkdfSync } from 'node:crypto';

const CURVE = 'prime256v1';
/** An uncompressed point of P-256. */
const POINT_BYTES = 65;
export const AUTH_BYTES = 16;
export const SALT_BYTES = 16;
export const PRIVATE_KEY_BYTES = 32;
const KEY_BYTES = 16;
const NONCE_BYTES = 12;
/** RFC 8291 section 4: push services take records of 4096 bytes, header included. */
const RECORD_BYTES = 4096;
const HEADER_BYTES = SALT_BYTES + 4 + 1 + POINT_BYTES;
/** One byte ends the content, 16 authenticate it. */
const MAX_PLAINTEXT_BYTES = RECORD_BYTES - HEADER_BYTES - 1 - 16;

/** The keys of a subscription. */
export interface PushKeys {
  publicKey: Uint8Array;
  auth: Uint8Array;
}

/** Whether it is an uncompressed point of the curve. */
export const isPoint = (bytes: Uint8Array): boolean => {
  if (bytes.length !== POINT_BYTES || bytes[0] !== 4) return false;
  try {
    ECDH.convertKey(bytes, CURVE);
    return true;
  } catch {
    return false;
  }
};

const hkdf = (key: Uint8Array, salt: Uint8Array, info: Uint8Array, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, info, bytes));

/**
 * @param privateKey a new one for each message, as the salt is
 * @throws RangeError where the plaintext does not fit one record
 */
export const encryptPush = (
  plaintext: Uint8Array,
  { publicKey, auth }: PushKeys,
  { salt, privateKey }: { salt: Uint8Array; privateKey: Uint8Array },
): Buffer => {
  if (plaintext.length > MAX_PLAINTEXT_BYTES) throw new RangeError('A push message is one record.');
  const own = createECDH(CURVE);
  own.setPrivateKey(privateKey);
  const ownPoint = own.getPublicKey();
  const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, ownPoint]);
  const secret = hkdf(own.computeSecret(publicKey), auth, keyInfo, 32);
  const key = hkdf(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), KEY_BYTES);
  const nonce = hkdf(secret, salt, Buffer.from('Content-Encoding: nonce\0'), NONCE_BYTES);
  const recordBytes = Buffer.alloc(4);
  recordBytes.writeUInt32BE(RECORD_BYTES);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  return Buffer.concat([
    salt,
    recordBytes,
    Buffer.of(POINT_BYTES),
    ownPoint,
    cipher.update(plaintext),
    // The delimiter of the last record (RFC 8188 section 2).
    cipher.update(Buffer.of(2)),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
};
