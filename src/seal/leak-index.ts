/**
 * The fingerprints of all values of a workspace as a search index. A bit field, a hash table and the patterns stand in
 * one block of shared memory, which worker threads read without a copy. It contains no value.
 */

import { timingSafeEqual } from 'node:crypto';
import type { SecretId } from '../kernel/ids.ts';
import { computeMac, type LeakKeys, MAC_BYTES, type SecretPattern, WINDOW } from './leak-patterns.ts';

/** A block of shared memory, made by {@link toLeakIndex}. */
export type LeakIndex = SharedArrayBuffer;

/** The input for searching a send. */
export type LeakCheck =
  /** The workspace has no secrets. */
  | { kind: 'none' }
  /** `secretIds`: the secrets by their number in the index. */
  | { kind: 'index'; index: LeakIndex; secretIds: readonly SecretId[] }
  /** The vault's key is missing, or the fingerprints are damaged: no search is possible. */
  | { kind: 'unavailable' };

/** 2^20 bits: with 7,000 patterns, one window in 150 is looked up in the table. */
const FIELD_BITS = 20;
const FIELD_WORDS = (1 << FIELD_BITS) / 32;

const MAC_KEY_BYTES = 32;
/** windowBase, wholeBase, table bits, number of patterns. */
const HEAD_WORDS = 4;
/** windowHash, wholeHash, offset, length, MAC, the secret's number. */
const PATTERN_WORDS = 5 + MAC_BYTES / 4;
const SECRET_WORD = PATTERN_WORDS - 1;

/** Multiplicative hashing (Knuth): the upper bits depend on all of the hash. */
const spread = (hash: number, bits: number): number => Math.imul(hash, 0x9e3779b1) >>> (32 - bits);

const toLayout = (tableBits: number, patterns: number) => {
  const macKey = HEAD_WORDS;
  const field = macKey + MAC_KEY_BYTES / 4;
  const table = field + FIELD_WORDS;
  const first = table + (1 << tableBits);
  return { macKey, field, table, first, words: first + patterns * PATTERN_WORDS };
};

export const toLeakIndex = (keys: LeakKeys, patterns: readonly SecretPattern[]): LeakIndex => {
  const tableBits = Math.max(4, Math.ceil(Math.log2(patterns.length * 2 + 1)));
  const layout = toLayout(tableBits, patterns.length);
  const memory = new SharedArrayBuffer(layout.words * 4);
  const words = new Uint32Array(memory);
  words.set([keys.windowBase, keys.wholeBase, tableBits, patterns.length]);
  new Uint8Array(memory).set(keys.mac, layout.macKey * 4);
  for (const [index, pattern] of patterns.entries()) {
    const at = layout.first + index * PATTERN_WORDS;
    words.set([pattern.windowHash, pattern.wholeHash, pattern.offset, pattern.length], at);
    new Uint8Array(memory).set(pattern.mac, (at + 4) * 4);
    words[at + SECRET_WORD] = pattern.secret;
    const bit = spread(pattern.windowHash, FIELD_BITS);
    const word = layout.field + (bit >>> 5);
    words[word] = (words[word] ?? 0) | (1 << (bit & 31));
    let slot = spread(pattern.windowHash, tableBits);
    while (words[layout.table + slot] !== 0) slot = (slot + 1) & ((1 << tableBits) - 1);
    words[layout.table + slot] = index + 1;
  }
  return memory;
};

/** Searches texts for the values of an index. */
export class LeakSearch {
  readonly #words: Uint32Array;
  readonly #bytes: Uint8Array;
  readonly #windowBase: number;
  readonly #wholeBase: number;
  readonly #tableBits: number;
  readonly #layout: ReturnType<typeof toLayout>;
  /** windowBase to the power of the window's length less one. */
  readonly #leaving: number;

  constructor(index: LeakIndex) {
    this.#words = new Uint32Array(index);
    this.#bytes = new Uint8Array(index);
    const [windowBase = 0, wholeBase = 0, tableBits = 0, patterns = 0] = this.#words;
    this.#windowBase = windowBase;
    this.#wholeBase = wholeBase;
    this.#tableBits = tableBits;
    this.#layout = toLayout(tableBits, patterns);
    this.#leaving = power(windowBase, WINDOW - 1);
  }

  /**
   * Adds the numbers of secrets found in the text; those in `found` already are not compared again.
   * @param text in one of its canonical forms
   */
  find(text: Uint8Array, found: Set<number>): void {
    const words = this.#words;
    const { field } = this.#layout;
    const base = this.#windowBase;
    const leaving = this.#leaving;
    /** Computed for the first candidate only, because most texts have none. */
    let prefixes: Uint32Array | null = null;
    let hash = 0;
    for (let end = 0; end < text.length; end += 1) {
      if (end >= WINDOW) hash = (hash - Math.imul(text[end - WINDOW] as number, leaving)) | 0;
      hash = (Math.imul(hash, base) + (text[end] as number)) | 0;
      if (end < WINDOW - 1) continue;
      const bit = Math.imul(hash, 0x9e3779b1) >>> (32 - FIELD_BITS);
      if ((((words[field + (bit >>> 5)] as number) >>> (bit & 31)) & 1) === 0) continue;
      if (!this.#isKnown(hash >>> 0)) continue;
      prefixes ??= prefixHashes(text, this.#wholeBase);
      this.#addMatches(text, prefixes, hash >>> 0, end + 1 - WINDOW, found);
    }
  }

  /** Calls `visit` with each pattern of this window, until it returns true. */
  #visit(windowHash: number, visit: (at: number) => boolean): boolean {
    const words = this.#words;
    const { table, first } = this.#layout;
    const mask = (1 << this.#tableBits) - 1;
    for (let slot = spread(windowHash, this.#tableBits); ; slot = (slot + 1) & mask) {
      const index = words[table + slot] as number;
      if (index === 0) return false;
      const at = first + (index - 1) * PATTERN_WORDS;
      if (words[at] === windowHash && visit(at)) return true;
    }
  }

  #isKnown(windowHash: number): boolean {
    return this.#visit(windowHash, () => true);
  }

  #addMatches(text: Uint8Array, prefixes: Uint32Array, windowHash: number, windowAt: number, found: Set<number>): void {
    this.#visit(windowHash, (at) => {
      const secret = this.#words[at + SECRET_WORD] as number;
      if (found.has(secret)) return false;
      const [, wholeHash = 0, offset = 0, length = 0] = this.#words.subarray(at, at + 4);
      const begin = windowAt - offset;
      if (begin < 0 || begin + length > text.length) return false;
      const before = Math.imul(prefixes[begin] as number, power(this.#wholeBase, length));
      if (((prefixes[begin + length] as number) - before) >>> 0 !== wholeHash) return false;
      const { macKey } = this.#layout;
      const key = this.#bytes.slice(macKey * 4, macKey * 4 + MAC_KEY_BYTES);
      const mac = this.#bytes.slice((at + 4) * 4, (at + 4) * 4 + MAC_BYTES);
      if (timingSafeEqual(computeMac(key, text.subarray(begin, begin + length)), mac)) found.add(secret);
      return false;
    });
  }
}

/** Modulo 2^32. */
const power = (base: number, exponent: number): number => {
  let result = 1;
  for (let factor = base, left = exponent; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = Math.imul(result, factor);
    factor = Math.imul(factor, factor);
  }
  return result >>> 0;
};

/** The hash of each prefix of the text; the hash of any part follows from two of them. */
const prefixHashes = (text: Uint8Array, base: number): Uint32Array => {
  const hashes = new Uint32Array(text.length + 1);
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) {
    hash = (Math.imul(hash, base) + (text[at] as number)) | 0;
    hashes[at + 1] = hash;
  }
  return hashes;
};
