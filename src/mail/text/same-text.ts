/** Compares texts by their letters and digits. */

/** Reduces a text to its normalised letters and digits, which do not depend on markup. */
export const toLetters = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');

export const isSameText = (one: string, other: string): boolean => toLetters(one) === toLetters(other);
