/**
 * Estimates whether words fit the box that styles give them. Words beyond it are displayed over what follows, or covered
 * by it. Errs for the box: it is taken as narrow, its words as wide.
 */

import {
  type ElementStyles,
  growsWithWords,
  largest,
  mayBeBox,
  pixelsOf,
  smallest,
  spaceAt,
} from './element-styles.ts';

/** Height that is left of a box, in pixels, and of the boxes around it. */
export interface Room {
  left: number;
  outer: Room | null;
  depth: number;
  hasWords: boolean;
}

/** Characters of a line where its width is not known, and mean width of a character in its size. */
const LINE_CHARS = 24;
const CHAR_WIDTH = 0.5;
/** Part of a line that may be beyond the box. */
const TOLERANCE = 0.4;
/** From this width on a word that is longer is an address, which is seen beside the box. */
const NARROW_PX = 120;
/** Boxes in one another that are told apart. */
const MAX_ROOMS = 20;
/** Width of the page that percentages are of. */
export const PAGE_PX = 600;

const NO_LIMIT = /^(?:auto|none|inherit|initial|unset|(?:max|fit|min)-content|\d{3}%|100v[hw])$/;

const NO_SIZE = /^[+-]?[0.]{1,9}(?:px|pt|em|%)?$/;

/** Null where its height follows from its content. */
export const heightLimit = (styles: ElementStyles): number | null => {
  if (styles.name === 'body' || styles.name === 'html' || !mayBeBox(styles) || growsWithWords(styles)) return null;
  const heights = styles.values('height', 'max-height').filter((value) => !NO_LIMIT.test(value));
  const ratios = styles.values('aspect-ratio').filter((value) => value !== 'auto');
  const hasNoBase =
    styles.values('min-height', 'min-width').some((value) => NO_SIZE.test(value)) &&
    styles.values('flex', 'flex-basis').length > 0;
  if (heights.length === 0 && ratios.length === 0 && !hasNoBase) return null;
  const limit = ratios.length > 0 ? 0 : smallest(pixelsOf(heights, 0), 0);
  const isBorderBox = styles.values('box-sizing').includes('border-box');
  const padding = isBorderBox
    ? largest(spaceAt(styles, 'padding', 'top', PAGE_PX)) + largest(spaceAt(styles, 'padding', 'bottom', PAGE_PX))
    : 0;
  return Math.max(0, limit - padding);
};

/** Null where its width follows from its content, or is that of the box around it. */
export const widthLimit = (styles: ElementStyles, around: number, isFixedTable: boolean): number | null => {
  if (!mayBeBox(styles) || (growsWithWords(styles) && !isFixedTable)) return null;
  const widths = styles.values('width', 'max-width').filter((value) => !NO_LIMIT.test(value));
  const limits = pixelsOf(widths, around, around / 2);
  const attribute = isFixedTable ? pixelsOf([styles.attributes.get('width') ?? ''], around) : [];
  return limits.length + attribute.length === 0 ? null : smallest([...limits, ...attribute], around);
};

export const createRoom = (height: number, outer: Room | null): Room => {
  if (outer === null) return { left: height, outer, depth: 1, hasWords: false };
  return outer.depth < MAX_ROOMS ? { left: height, outer, depth: outer.depth + 1, hasWords: false } : outer;
};

export const lineChars = (width: number | null, fontSize: number): number =>
  width === null ? LINE_CHARS : Math.max(1, Math.floor(width / (fontSize * CHAR_WIDTH)));

/** Takes pixels of the room. @returns whether they fit it */
export const spend = (room: Room | null, pixels: number, lineHeight: number): boolean => {
  let fits = true;
  for (let each = room; each !== null; each = each.outer) {
    each.left -= pixels;
    fits &&= each.left + TOLERANCE * lineHeight >= 0;
  }
  return fits;
};

/** Whether a text is wider than its box. */
export const isWider = (text: string, width: number, fontSize: number, isUnbroken: boolean): boolean => {
  const trimmed = text.trim();
  if (!isUnbroken && width >= NARROW_PX) return false;
  let longest = 0;
  if (isUnbroken) longest = trimmed.length;
  else for (const word of trimmed.split(/[\s\u200b-]+/)) longest = Math.max(longest, word.length);
  return longest * fontSize * CHAR_WIDTH > width * 1.25;
};
