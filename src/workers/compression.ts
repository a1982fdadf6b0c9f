/**
 * zstd for what is stored. At once, not through libuv's pool: for a mail of a few KB the hand-over and the fresh context
 * that Node's asynchronous call makes cost five times the compression. It runs in worker threads, where waiting hurts nobody.
 */

import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

const SMALLEST_CHUNK = 1_024;
const LARGEST_CHUNK = 64 * 1_024;

/**
 * The size told beforehand keeps the tables small for small mail.
 * @returns bytes in memory of their own: what is sent to another thread is copied with all of the memory behind it, which
 *   for a slice of Node's pool is 64 KiB
 */
export const compress = (bytes: Uint8Array): Uint8Array => {
  const chunkSize = Math.min(Math.max(bytes.length, SMALLEST_CHUNK), LARGEST_CHUNK);
  return new Uint8Array(zstdCompressSync(bytes, { pledgedSrcSize: bytes.length, chunkSize }));
};

/** zstd's largest block, and room for the frame around it: so much always gives the first block whole. */
export const FIRST_BLOCK = 128 * 1_024 + 64;

/** The beginning of the bytes, 128 KiB or all of a smaller mail, from {@link FIRST_BLOCK}: quick enough for the main thread. */
export const decompressStart = (compressed: Uint8Array): Buffer =>
  zstdDecompressSync(compressed.subarray(0, FIRST_BLOCK), { finishFlush: constants.ZSTD_e_continue });

export const decompress = (compressed: Uint8Array): Buffer => zstdDecompressSync(compressed);
