/** Whether two texts say the same words. */

/** What both kinds of part have in common, whatever their markup. */
export const toLetters = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');

export const isSameText = (one: string, other: string): boolean => toLetters(one) === toLetters(other);
