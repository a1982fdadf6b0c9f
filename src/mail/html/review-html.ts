/**
 * Reads an HTML part for approval of held mail. Mail programs differ in what they display: appends all content that one
 * of them may display and the read text lacks.
 */

import { toLetters } from '../text/same-text.ts';
import { generatedWords } from './css/generated-words.ts';
import { conditionalParts } from './css/style-elements.ts';
import type { Attributes } from './nesting.ts';
import { readHtml } from './read-html.ts';
import { MAX_HTML, walkHtml } from './walk-html.ts';

export interface ReviewedHtml {
  text: string;
  /** Whether the read text contains all content, and every program shows it. */
  isPlain: boolean;
  /** Whether the whole part was read, and as browsers read it; if not, the text is insufficient for an approval. */
  isWhole: boolean;
}

/** Attributes with text that some program displays, at least as a tooltip. */
const WORDS = ['alt', 'title', 'value', 'placeholder', 'label', 'summary', 'aria-label', 'srcdoc'];
/** Attributes with external addresses. */
const ADDRESSES = ['href', 'src', 'srcset', 'action', 'formaction', 'background', 'data', 'poster', 'cite'];
/** Mail programs do not run scripts. */
const NEVER_SHOWN: ReadonlySet<string> = new Set(['script']);
/** Pictures that hold words, and style sheets, in an address. */
const EMBEDDED = /^data:\s{0,9}(?:image\/svg|text\/)/i;

const MAX_MISSING_CHARS = 50_000;
const MAX_PIECE_CHARS = 8_000;
/** Characters after the last match that are searched first, and maximum searches of the whole text. */
const NEAR = 4_000;
const MAX_SEARCHES = 300;

/**
 * Tests whether pieces, in document order, occur in the read text. Bounded work: a piece that is not found within the
 * bound counts as missing.
 */
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

const readAddresses = (attributes: Attributes): string[] =>
  ADDRESSES.map((name) => (attributes.get(name) ?? '').trim()).filter(
    // Excludes embedded parts and fragments.
    (address) => address !== '' && !/^(?:cid:|#)/i.test(address),
  );

/**
 * Calls back with each text and address of the source, visible or not.
 * @returns whether these are all
 */
const walkAll = (html: string, addMissing: (piece: string) => void): boolean => {
  const open: string[] = [];
  let isListed = true;
  const addStyled = (css: string): void => {
    const { pieces, isWhole } = generatedWords(css);
    for (const piece of pieces) addMissing(piece);
    isListed &&= isWhole;
  };
  const isFollowed = walkHtml(html, {
    open: (name, attributes) => {
      open.push(name);
      for (const word of WORDS) addMissing(attributes.get(word) ?? '');
      for (const address of readAddresses(attributes)) {
        addMissing(address);
        if (EMBEDDED.test(address)) isListed = false;
      }
      if (name === 'meta' && attributes.has('http-equiv')) addMissing(attributes.get('content') ?? '');
      const style = attributes.get('style');
      if (style !== undefined) addStyled(style);
    },
    close: () => open.pop(),
    text: (text) => {
      const within = open.at(-1) ?? '';
      if (NEVER_SHOWN.has(within)) return;
      if (within === 'style') addStyled(text);
      else addMissing(text);
    },
  });
  return isFollowed && isListed;
};

/** Linear in the input, with a bounded result; never throws. */
export const reviewHtml = (html: string): ReviewedHtml => {
  const { text, hasHidden, hasDoubtful, isCut } = readHtml(html, { forReview: true });
  const isRead = createFinder(toLetters(text).toLowerCase());
  const missing = new Set<string>();
  let left = MAX_MISSING_CHARS;
  const addMissing = (piece: string): void => {
    const shown = piece.replace(/\s+/g, ' ').trim().slice(0, MAX_PIECE_CHARS);
    const letters = toLetters(shown).toLowerCase();
    if (letters === '' || left < 0 || missing.has(shown) || isRead(letters)) return;
    left -= shown.length;
    if (left >= 0) missing.add(shown);
  };
  let isFollowed = walkAll(html, addMissing);
  for (const part of conditionalParts(html.slice(0, MAX_HTML))) isFollowed = walkAll(part, addMissing) && isFollowed;
  const beside = [...missing].map((piece) => `[not shown by every program: ${piece}]`);
  return {
    text: [text, ...beside].join('\n').trim(),
    isPlain: beside.length === 0 && left >= 0 && !hasHidden && !hasDoubtful,
    isWhole: isFollowed && !isCut && left >= 0,
  };
};
