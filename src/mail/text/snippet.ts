/** The first words of a message, as lists show them. */

const SNIPPET_CHARS = 160;
/** Lines beyond this are not looked at: mail that begins with so much of nothing gets a short snippet. */
const MAX_SCAN = 8 * 1024;

/** A "word" of what newsletters fill their preview line with: soft hyphens, zero-width characters, fillers. */
const FILLER =
  /^(?:\u034f|[\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0])+$/;

/** Addresses behind the words that they are linked to, and long ones that stand for themselves. */
const LINKED = /\s?(?:[[(<](?:https?:\/\/|mailto:)[^\s\])>]{1,2048}[\])>]|\[[^\s@[\]]{1,64}@[^\s@[\]]{1,253}\])/gi;
const LONG = /(https?:\/\/[^\s/?#]{1,80})[/?#][^\s]{40,2048}/gi;

/** One line of at most 160 characters: blanks folded, quoted lines left out, no character cut in half. */
export const toSnippet = (text: string): string => {
  let snippet = '';
  for (const line of text.slice(0, MAX_SCAN).split('\n')) {
    if (/^\s{0,3}>/.test(line)) continue;
    const shown = line.replace(LINKED, '').replace(LONG, '$1/…');
    const words = shown.split(/[\s\p{Cc}]+/u).filter((word) => word !== '' && !FILLER.test(word));
    if (words.length === 0) continue;
    snippet += `${snippet === '' ? '' : ' '}${words.join(' ')}`;
    if (snippet.length >= SNIPPET_CHARS) break;
  }
  return snippet
    .slice(0, SNIPPET_CHARS)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd();
};
