/**
 * Compares a Markdown text with the HTML rendered from it. Markdown drops text: reference definitions, the rest of an info
 * string, surplus cells of a table, the numbers of a list.
 */

import type { Attributes } from '../html/nesting.ts';
import { walkHtml } from '../html/walk-html.ts';

const WORD = /[\p{L}\p{N}\p{M}]+|[\p{So}\p{Sc}]/gu;
/** Added to the class of a code block. */
const LANGUAGE = /^language-/;
/** Prefixes of an address that is linked as it stands. */
const SCHEMES = ['', 'mailto:', 'http://', 'https://'];

const ENCODED = /(?:%[89a-f][\da-f])+/gi;

/** Reverses the percent-encoding that markdown-it applies to other characters than ASCII. */
const decode = (address: string): string =>
  address.replace(ENCODED, (octets) => Buffer.from(octets.replaceAll('%', ''), 'hex').toString('utf8'));

/** Calls back with each text, attribute and list number of the HTML. */
const walkRendered = (html: string, add: (text: string) => void): void => {
  /** The next number of each open list; null for one without. */
  const lists: (number | null)[] = [];
  let href: string | null = null;
  const addHref = (): void => {
    if (href !== null) add(href);
    href = null;
  };
  const open = (name: string, attributes: Attributes): void => {
    addHref();
    for (const [key, value] of attributes) {
      if (key === 'href') href = decode(value);
      else if (key !== 'start') add(key === 'src' ? decode(value) : value.replace(LANGUAGE, ''));
    }
    if (name === 'ol' || name === 'ul') lists.push(name === 'ol' ? Number(attributes.get('start') ?? 1) : null);
    const number = name === 'li' ? lists.pop() : undefined;
    if (number === undefined) return;
    if (number !== null) add(String(number));
    lists.push(number === null ? null : number + 1);
  };
  walkHtml(html, {
    open,
    text: (text) => {
      // Counts once what the source has once.
      if (SCHEMES.some((scheme) => href === scheme + decode(text))) href = null;
      addHref();
      add(text);
    },
    close: (name) => {
      addHref();
      if (name === 'ol' || name === 'ul') lists.pop();
    },
  });
};

/** Whether the HTML has every word of the Markdown, as often as the Markdown, in its texts and attributes. */
export const hasEveryWord = (markdown: string, html: string): boolean => {
  const left = new Map<string, number>();
  walkRendered(html, (text) => {
    for (const [word] of text.matchAll(WORD)) left.set(word, (left.get(word) ?? 0) + 1);
  });
  for (const [word] of markdown.matchAll(WORD)) {
    const count = left.get(word) ?? 0;
    if (count === 0) return false;
    left.set(word, count - 1);
  }
  return true;
};
