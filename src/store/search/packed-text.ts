/**
 * Packs a mail's text: a zstd frame with the mail's own bytes as dictionary, because a plain mail nearly contains its
 * text.
 */

import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { toText } from '../values.ts';

/**
 * Octets of the largest mail used as dictionary, so that a text is read within a millisecond. Part of the stored form.
 */
export const LARGEST_DICTIONARY = 128 * 1024;

/** A line feed precedes the mail: zstd would read bytes with its magic number as a prepared dictionary. */
const dictionaryOf = (raw: Uint8Array): { dictionary?: Buffer } =>
  raw.length <= LARGEST_DICTIONARY ? { dictionary: Buffer.concat([Buffer.from('\n'), raw]) } : {};

/** Octets of an output buffer, at least: a plain mail's text takes some 200, and Node's 16 KiB would be garbage. */
const SMALLEST_CHUNK = 1_024;

/** @returns bytes in an ArrayBuffer of their own, which are posted to another thread without their pool */
export const packText = (raw: Uint8Array, text: string): Uint8Array => {
  const bytes = Buffer.from(toText(text));
  const chunkSize = Math.max(SMALLEST_CHUNK, bytes.length >> 4);
  return new Uint8Array(zstdCompressSync(bytes, { ...dictionaryOf(raw), pledgedSrcSize: bytes.length, chunkSize }));
};

export interface StoredBody {
  /** '' where the text is packed; null: there is none. */
  body: string | null;
  /** Null in mail of older versions, and in mail stored without its bytes. */
  packed: Uint8Array | null;
  /** zstd, of a mail of at most {@link LARGEST_DICTIONARY} octets; null: of a larger one. */
  mime: Uint8Array | null;
}

/** '' where the bytes are damaged, which `postroom verify-data` tells: one mail must not end a search. */
export const readBody = ({ body, packed, mime }: StoredBody): string => {
  if (packed === null) return body ?? '';
  try {
    const dictionary = mime === null ? {} : dictionaryOf(zstdDecompressSync(mime));
    return zstdDecompressSync(packed, dictionary).toString();
  } catch {
    return '';
  }
};

/**
 * The columns of {@link StoredBody}, for rows `t` of message_texts and their `r` of raw_messages.
 * @param chars after which a body that is not packed is cut; PostgreSQL counts them in 32 bits
 */
export const storedBody = (chars = 2 ** 31 - 1): string => `
  substr(t.body, 1, ${chars}) as body, t.packed,
  case when t.packed is not null and r.size <= ${LARGEST_DICTIONARY} then r.mime end as mime`;
