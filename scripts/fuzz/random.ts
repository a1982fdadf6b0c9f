/** Chance that can be repeated: the same seed and number give the same input, whatever ran beside it. */

export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from 0 up to, not including, `below`. */
  below(below: number): number;
  /** Whether something of that likelihood happens. */
  chance(likelihood: number): boolean;
  pick<T>(items: readonly T[]): T;
  bytes(length: number): Buffer;
}

/** splitmix32: small, and no two of its streams run alike. */
export const createRandom = (seed: number, stream: number): Random => {
  let state = (seed ^ Math.imul(stream + 1, 0x9e3779b1)) | 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (likelihood) => next() < likelihood,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('Nothing to pick from.');
      return item;
    },
    bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))),
  };
};
