/**
 * Reads an HTML part for a person who judges the mail before it goes. Mail programs differ in what they show: what one of
 * them may show, and the reading does not, is told beside it.
 */

import { toLetters } from '../text/same-text.ts';
import { readHtml } from './read.ts';
import { type Attributes, MAX_HTML, walkHtml } from './walk.ts';

export interface ReviewedHtml {
  text: string;
  /** Whether the reading alone says all that there is. */
  isPlain: boolean;
  /** Whether all of it was read; if not, no person can judge the mail by this text. */
  isWhole: boolean;
}

/** Attributes whose words are shown by some program, if only under the mouse. */
const WORDS = ['alt', 'title', 'value', 'placeholder', 'label', 'summary', 'aria-label', 'srcdoc'];
/** Attributes that lead out of the mail. */
const ADDRESSES = ['href', 'src', 'srcset', 'action', 'formaction', 'background', 'data', 'poster', 'cite'];
/** Programs run no scripts. */
const NEVER_SHOWN: ReadonlySet<string> = new Set(['script']);
/** What Outlook alone reads. */
const CONDITIONAL = { start: '<!--[if', body: '>', end: '<![endif]' };
/** Words that a style sheet puts on the page, and addresses that it fetches. */
const STYLED = /content\s*:\s*(?:"([^"]{1,1000})"|'([^']{1,1000})')|url\(\s*["']?([^"')]{1,2000})/gi;

const MAX_TOLD_CHARS = 50_000;
const MAX_PIECE_CHARS = 8_000;
/** How far behind the last find the next is looked for, and how often the whole reading is searched. */
const NEAR = 4_000;
const MAX_SEARCHES = 300;

/** Whether pieces, in the order of the page, stand in its reading. Bounded work: what is not found in time counts as missing. */
const createFinder = (reading: string) => {
  let at = 0;
  let searches = 0;
  return (piece: string): boolean => {
    const near = reading.slice(at, at + NEAR + piece.length).indexOf(piece);
    if (near >= 0) {
      at += near;
      return true;
    }
    searches += 1;
    return searches <= MAX_SEARCHES && reading.includes(piece);
  };
};

const addressesOf = (attributes: Attributes): string[] =>
  ADDRESSES.map((name) => (attributes.get(name) ?? '').trim()).filter(
    // Parts of the mail itself, and places in it.
    (address) => address !== '' && !/^(?:cid:|#)/i.test(address),
  );

const styledIn = (css: string): string[] =>
  [...css.matchAll(STYLED)].map(([, double, single, address]) => double ?? single ?? address ?? '');

/** Calls back with each text and address that the source holds, whether or not it is seen. */
const walkAll = (html: string, tell: (piece: string) => void): void => {
  const open: string[] = [];
  walkHtml(html, {
    open: (name, attributes) => {
      open.push(name);
      for (const word of WORDS) tell(attributes.get(word) ?? '');
      for (const address of addressesOf(attributes)) tell(address);
      if (name === 'meta' && attributes.has('http-equiv')) tell(attributes.get('content') ?? '');
      for (const piece of styledIn(attributes.get('style') ?? '')) tell(piece);
    },
    close: () => open.pop(),
    text: (text) => {
      const within = open.at(-1) ?? '';
      if (NEVER_SHOWN.has(within)) return;
      if (within === 'style') for (const piece of styledIn(text)) tell(piece);
      else tell(text);
    },
  });
};

const conditionalParts = (html: string): string[] => {
  const parts: string[] = [];
  for (let start = html.indexOf(CONDITIONAL.start); start >= 0; ) {
    const body = html.indexOf(CONDITIONAL.body, start);
    const end = body < 0 ? -1 : html.indexOf(CONDITIONAL.end, body);
    if (end < 0) break;
    parts.push(html.slice(body + 1, end));
    start = html.indexOf(CONDITIONAL.start, end);
  }
  return parts;
};

/** Linear in the input, with a bounded result; never throws. */
export const reviewHtml = (html: string): ReviewedHtml => {
  const { text, isCut } = readHtml(html, { forReview: true });
  const isRead = createFinder(toLetters(text));
  const told = new Set<string>();
  let left = MAX_TOLD_CHARS;
  const tell = (piece: string): void => {
    const shown = piece.replace(/\s+/g, ' ').trim().slice(0, MAX_PIECE_CHARS);
    const letters = toLetters(shown);
    if (letters === '' || left < 0 || told.has(shown) || isRead(letters)) return;
    left -= shown.length;
    if (left >= 0) told.add(shown);
  };
  walkAll(html, tell);
  for (const part of conditionalParts(html.slice(0, MAX_HTML))) walkAll(part, tell);
  const beside = [...told].map((piece) => `[not shown by every program: ${piece}]`);
  return {
    text: [text, ...beside].join('\n').trim(),
    isPlain: beside.length === 0 && left >= 0,
    isWhole: !isCut && left >= 0,
  };
};
