/** Compares two versions of a text by their words, numbers and signs, without white space and the marks of Markdown. */

/** Emphasis within words. */
const EMPHASIS = /[*_`~]/g;
const ENCODED = /(?:%[89a-f][\da-f])+/gi;
/** A number with its sign and the punctuation within it; a word; a sign other than punctuation of lists and sentences. */
const TOKEN = /-?\p{N}+(?:[.,:]\p{N}+)*|[\p{L}\p{M}]+|[^\s\p{L}\p{N}\p{M}#>|[\]().,\\\-"']/gu;

/** Reverses the percent-encoding that a Markdown renderer applies to addresses with other characters than ASCII. */
const tokensOf = (text: string) =>
  text
    .replace(ENCODED, (octets) => Buffer.from(octets.replaceAll('%', ''), 'hex').toString('utf8'))
    .replace(EMPHASIS, '')
    .matchAll(TOKEN);

export const isSameText = (one: string, other: string): boolean => {
  const others = tokensOf(other);
  for (const [token] of tokensOf(one)) if (others.next().value?.[0] !== token) return false;
  return others.next().done === true;
};
