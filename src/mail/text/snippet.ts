/** Shortens a message's text to a snippet for listings. */

import { WEB_ADDRESS } from './web-address.ts';

const SNIPPET_CHARS = 160;
/** Characters that are searched: mail with more leading filler gets a shorter snippet. */
const MAX_SCAN = 8 * 1024;

/** Preview fillers of newsletters: soft hyphens, zero-width characters and the like. */
const FILLER =
  /^(?:\u034f|[\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0])+$/;

/** Link targets after their labels, and long bare URLs. */
const LINKED = /\s?(?:[[(<](?:https?:\/\/|mailto:)[^\s\])>]{1,2048}[\])>]|\[[^\s@[\]]{1,64}@[^\s@[\]]{1,253}\])/gi;
const LONG = new RegExp(WEB_ADDRESS, 'gi');
const HOST = /^https?:\/\/[^/?#]{1,80}/i;
/** Characters behind the host that are shown. */
const SHORT = 40;

const shorten = (url: string): string => {
  const host = HOST.exec(url)?.[0] ?? '';
  return host === '' || url.length <= host.length + SHORT ? url : `${host}/…`;
};

/** Returns one line of at most 160 characters: blanks folded, quoted lines left out, no surrogate pair split. */
export const toSnippet = (text: string): string => {
  let snippet = '';
  for (const line of text.slice(0, MAX_SCAN).split('\n')) {
    if (/^\s{0,3}>/.test(line)) continue;
    const shown = line.replace(LINKED, '').replace(LONG, shorten);
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
