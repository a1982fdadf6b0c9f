/**
 * Memory for keys and opened values: between guard pages, locked against swapping within the system's limit, left out
 * of core dumps, wiped on release.
 */

import sodium from 'sodium-native';

export const guardedBytes = (size: number): Buffer => sodium.sodium_malloc(size);

/** Wipes and frees the result of {@link guardedBytes}; the buffer is empty from then on. */
export const release = (bytes: Buffer): void => sodium.sodium_free(bytes);

/** A guarded copy; the original is wiped. */
export const toGuarded = (bytes: Buffer): Buffer => {
  const guarded = guardedBytes(bytes.length);
  bytes.copy(guarded);
  sodium.sodium_memzero(bytes);
  return guarded;
};

/** Runs `work` on guarded bytes and releases them, also after an error. */
export const using = <T>(bytes: Buffer, work: (bytes: Buffer) => T): T => {
  try {
    return work(bytes);
  } finally {
    release(bytes);
  }
};
