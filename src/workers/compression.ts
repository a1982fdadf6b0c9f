/**
 * zstd compression of stored mail. Synchronous: for a mail of a few KB the hand-over to libuv's pool and the new
 * context of Node's asynchronous call cost five times the compression. It runs in worker threads, where blocking delays
 * only the task.
 */

import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { packText } from '../store/search/packed-text.ts';

const SMALLEST_CHUNK = 1_024;
const LARGEST_CHUNK = 64 * 1_024;

/**
 * The pledged size keeps zstd's tables small for small mail.
 * @returns bytes in an ArrayBuffer of their own: posting to another thread copies the whole buffer, which for a slice
 *   of Node's pool is 64 KiB
 */
export const compress = (bytes: Uint8Array): Uint8Array => {
  const chunkSize = Math.min(Math.max(bytes.length, SMALLEST_CHUNK), LARGEST_CHUNK);
  return new Uint8Array(zstdCompressSync(bytes, { pledgedSrcSize: bytes.length, chunkSize }));
};

/** zstd's largest block and the frame header: this prefix always contains the whole first block. */
export const FIRST_BLOCK = 128 * 1_024 + 64;

/**
 * The first 128 KiB of a mail, or all of a smaller one, from {@link FIRST_BLOCK} octets; fast enough for the main
 * thread.
 */
export const decompressStart = (compressed: Uint8Array): Buffer =>
  zstdDecompressSync(compressed.subarray(0, FIRST_BLOCK), { finishFlush: constants.ZSTD_e_continue });

export const decompress = (compressed: Uint8Array): Buffer => zstdDecompressSync(compressed);

/** Compresses a mail, and packs its text with it. */
export const toStoredMail = (
  bytes: Uint8Array,
  text: string,
): { mime: Uint8Array; size: number; packedText: Uint8Array } => ({
  mime: compress(bytes),
  size: bytes.length,
  packedText: packText(bytes, text),
});
