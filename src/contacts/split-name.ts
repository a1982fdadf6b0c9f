/** Splits a whole name into given and family name. */

import type { Card } from './card.ts';

type Names = Pick<Card, 'givenName' | 'familyName'>;

const orNull = (text: string): string | null => (text === '' ? null : text);

/** `Doe, John` is the family name first; else the last word is the family name; a single word is a given name. */
export const splitName = (name: string): Names => {
  const words = name.trim().split(/\s+/);
  const comma = words.findIndex((word) => word.endsWith(','));
  if (comma >= 0 && comma < words.length - 1 && words.findLastIndex((word) => word.endsWith(',')) === comma) {
    const family = words
      .slice(0, comma + 1)
      .join(' ')
      .slice(0, -1);
    return { givenName: orNull(words.slice(comma + 1).join(' ')), familyName: orNull(family) };
  }
  if (words.length === 1) return { givenName: orNull(words[0] ?? ''), familyName: null };
  return { givenName: words.slice(0, -1).join(' '), familyName: words.at(-1) ?? null };
};
