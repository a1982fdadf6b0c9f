/**
 * Fingerprints of a secret value, which find it in a text without storing it. For each form of the value: a rolling
 * hash of 8 of its bytes, one of all of it, and a MAC, all keyed. Forms: as written and folded (leak-views.ts); in
 * hexadecimal; in base64 (RFC 4648, both alphabets) and base32 at each possible offset within a longer text. Encodings
 * of single characters are undone in the text.
 */

import { createHmac } from 'node:crypto';
import { deriveKey } from './derive.ts';
import { folded, written } from './leak-views.ts';

/** Shorter values are not searched: they would hold ordinary mail. */
const LEAST_GUARDED_BYTES = 8;
/** Bytes of the window that is hashed at every position of a text. */
export const WINDOW = 8;
export const MAC_BYTES = 16;

export interface LeakKeys {
  /** Odd, 32 bits: the base of the window's hash, and of the whole form's. */
  windowBase: number;
  wholeBase: number;
  mac: Buffer;
}

/** @param key the workspace's, 32 bytes */
export const leakKeys = (key: Buffer): LeakKeys => {
  const bases = deriveKey(key, 'leak guard hashes');
  const mac = deriveKey(key, 'leak guard');
  return { windowBase: (bases.readUInt32LE(0) | 1) >>> 0, wholeBase: (bases.readUInt32LE(4) | 1) >>> 0, mac };
};

export interface LeakPattern {
  /** The hash of the window's 8 bytes. */
  windowHash: number;
  /** The hash of the whole form. */
  wholeHash: number;
  /** Bytes of the form before its window. */
  offset: number;
  /** Bytes of the form. */
  length: number;
  /** HMAC-SHA-256 of the form, its first 16 bytes. */
  mac: Buffer;
}

/** A pattern with its secret's number. */
export interface SecretPattern extends LeakPattern {
  secret: number;
}

/** The characters of its base64 that do not depend on neighbouring bytes, with so many bytes before it. */
const innerBase64 = (value: Buffer, before: 0 | 1 | 2): string => {
  const encoded = Buffer.concat([Buffer.alloc(before), value])
    .toString('base64')
    .replace(/=+$/, '');
  const begin = Math.ceil((before * 8) / 6);
  const end = Math.floor(((before + value.length) * 8) / 6);
  return encoded.slice(begin, end);
};

/** Whether it is long enough to search for. */
export const isGuarded = (value: string): boolean => written(Buffer.from(value, 'utf8')).length >= LEAST_GUARDED_BYTES;

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** The same of base32, folded, with so many bytes before it. */
const innerBase32 = (value: Buffer, before: number): string => {
  const bytes = Buffer.concat([Buffer.alloc(before), value]);
  const begin = Math.ceil((before * 8) / 5);
  const letters = Buffer.allocUnsafe(Math.floor((bytes.length * 8) / 5) - begin);
  for (let at = 0; at < letters.length; at += 1) {
    const bit = (begin + at) * 5;
    const pair = ((bytes[bit >> 3] ?? 0) << 8) | (bytes[(bit >> 3) + 1] ?? 0);
    letters[at] = BASE32.charCodeAt((pair >> (11 - (bit & 7))) & 31);
  }
  return letters.toString('latin1');
};

const toForms = (value: Buffer): Buffer[] => {
  const plain = written(value);
  if (plain.length < LEAST_GUARDED_BYTES) return [];
  const encoded = ([0, 1, 2] as const).map((before) => innerBase64(value, before));
  const forUrls = encoded.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const base32 = [0, 1, 2, 3, 4].map((before) => innerBase32(value, before));
  const texts = new Set([...encoded, ...forUrls, ...base32, value.toString('hex')]);
  const fold = folded(value);
  const isFolded = fold.length >= LEAST_GUARDED_BYTES && !fold.equals(plain);
  return [plain, ...(isFolded ? [fold] : []), ...[...texts].map((text) => Buffer.from(text))];
};

const computeHash = (bytes: Uint8Array, base: number, from = 0, length = bytes.length): number => {
  let hash = 0;
  for (let at = from; at < from + length; at += 1) hash = (Math.imul(hash, base) + (bytes[at] ?? 0)) | 0;
  return hash >>> 0;
};

export const computeMac = (key: Uint8Array, form: Uint8Array): Buffer =>
  createHmac('sha256', key).update(form).digest().subarray(0, MAC_BYTES);

/**
 * The first window from the middle outward with enough distinct bytes: the ends of keys (`-----BEGIN`) are alike, and
 * repeated bytes are found everywhere.
 */
const windowOffset = (form: Uint8Array): number => {
  const last = form.length - WINDOW;
  const middle = last >> 1;
  /** By byte, the last step that saw it: a value of one byte has as many steps as bytes, in each of its forms. */
  const seen = new Uint32Array(256);
  let best = middle;
  let most = 0;
  for (let step = 0; step <= last; step += 1) {
    const at = step % 2 === 0 ? middle + step / 2 : middle - (step + 1) / 2;
    if (at < 0 || at > last) continue;
    let different = 0;
    for (let place = at; place < at + WINDOW; place += 1) {
      const byte = form[place] ?? 0;
      if (seen[byte] !== step + 1) different += 1;
      seen[byte] = step + 1;
    }
    if (different > most) [best, most] = [at, different];
    if (most >= WINDOW - 2) break;
  }
  return best;
};

export const leakPatterns = (keys: LeakKeys, value: string): LeakPattern[] => {
  return toForms(Buffer.from(value, 'utf8')).map((form) => {
    const offset = windowOffset(form);
    return {
      windowHash: computeHash(form, keys.windowBase, offset, WINDOW),
      wholeHash: computeHash(form, keys.wholeBase),
      offset,
      length: form.length,
      mac: computeMac(keys.mac, form),
    };
  });
};
