/**
 * Tells elements that may be painted over words of others. Boxes in the flow of a page stand beside one another; what
 * leaves that flow, or is painted beyond its box, may cover any words.
 */

import { COVER, NUDGE, toPixels } from '../css/declarations.ts';
import {
  borderAround,
  type ElementStyles,
  isReplaced,
  largest,
  mayBeInline,
  paints,
  pixelsOf,
  spaceAt,
} from './element-styles.ts';
import { PAGE_PX } from './room.ts';

/** What is around an element. */
export interface Surroundings {
  fontSize: number;
  /** Of a line, as a part of the font's size. */
  lineHeight: number;
  isFixedTable: boolean;
  /** Elements around it that are moved by some pixels. */
  nudges: number;
  /** Pixels of blank space since the last words. */
  clearance: number;
  /** The smallest box around it that does not grow with its content and is above the page's words; null for none. */
  raised: { width: number; height: number } | null;
}

/** Pixels over the next line that cover no words. */
const SPILL_PX = 4;
/** Space above and below in a line that mail uses for buttons. */
const MAX_SPILL_PX = 24;
/** Elements in one another that are moved by some pixels each, and the largest size of a font that they are moved by. */
const MAX_NUDGES = 2;
const MAX_NUDGED_FONT = 24;
/** Part of the font's size below which lines are painted over one another. */
export const TIGHT_LINE = 0.5;
/** Sizes of attributes beyond which what follows is moved off the page. */
const FAR: Readonly<Record<string, number>> = {
  width: 3000,
  cellspacing: 100,
  cellpadding: 100,
  border: 100,
  hspace: 100,
};
/** Width of a column below which its words are not seen, where the table has that width. */
const NO_COLUMN_PX = 2;
const MIN_FIXED_PX = 20;
/** Height of a font, as a part of its size, and pixels of it that may be over the line before. */
const GLYPH = 1.2;
const MAX_GLYPH_SPILL_PX = 14;

export const isRaised = ({ values }: ElementStyles): boolean =>
  values('position').some((position) => position !== 'static') ||
  values('opacity').some((opacity) => !/^1(?:\.0*)?$/.test(opacity)) ||
  values('will-change').some((property) => property !== 'auto') ||
  values('z-index').some((index) => index !== 'auto');

/** Its styles act on the cells of a column. */
const hidesColumn = (styles: ElementStyles, isFixed: boolean, hides: boolean): boolean => {
  const { values, attributes } = styles;
  const widths = pixelsOf([...values('width', 'max-width'), attributes.get('width') ?? ''], PAGE_PX);
  return hides || paints(styles) || widths.some((width) => width <= (isFixed ? MIN_FIXED_PX : NO_COLUMN_PX));
};

const spillOf = (styles: ElementStyles): number => {
  const padding = paints(styles)
    ? [...spaceAt(styles, 'padding', 'top', PAGE_PX), ...spaceAt(styles, 'padding', 'bottom', PAGE_PX)]
    : [];
  return largest(padding) + borderAround(styles);
};

const spills = (styles: ElementStyles, { fontSize, lineHeight, clearance }: Surroundings): boolean => {
  const glyphs = Math.max(0, ((GLYPH - lineHeight) * fontSize) / 2);
  if (glyphs > MAX_GLYPH_SPILL_PX && styles.values('font-size', 'line-height', 'font').length > 0) return true;
  if (!mayBeInline(styles)) return false;
  if (lineHeight < TIGHT_LINE && paints(styles)) return true;
  const spill = spillOf(styles) + (paints(styles) ? glyphs : 0);
  return spill > SPILL_PX && (isRaised(styles) || spill > Math.min(MAX_SPILL_PX, clearance + SPILL_PX));
};

/** Whether it is larger than a box around it whose content is above the words that follow. */
const overflows = (styles: ElementStyles, { raised }: Surroundings): boolean => {
  if (!raised || !(paints(styles) || isReplaced(styles) || borderAround(styles) > SPILL_PX)) return false;
  const { values, attributes } = styles;
  const isBeyond = (side: 'height' | 'width', limit: number, beside: number): boolean => {
    const sizes = pixelsOf([...values(side, `min-${side}`), attributes.get(side) ?? ''], limit);
    const most = pixelsOf(values(`max-${side}`), limit);
    const size = sizes.length === 0 && isReplaced(styles) ? Number.POSITIVE_INFINITY : largest(sizes);
    return Math.min(size, ...most) + beside > limit + SPILL_PX;
  };
  return (
    isBeyond('height', raised.height, mayBeInline(styles) ? 0 : spillOf(styles)) || isBeyond('width', raised.width, 0)
  );
};

const isFar = ({ attributes }: ElementStyles): boolean =>
  Object.entries(FAR).some(([name, most]) => (toPixels(attributes.get(name)?.trim() ?? '', 1) ?? 0) > most);

/** Elements that a program displays over the page, or whose parts may be anywhere. */
const isOverPage = ({ name, attributes, values }: ElementStyles): boolean =>
  (name === 'dialog' && attributes.has('open')) ||
  name === 'math' ||
  (name === 'svg' &&
    [...values('overflow', 'overflow-x', 'overflow-y'), attributes.get('overflow') ?? 'hidden'].some(
      (overflow) => overflow !== 'hidden',
    ));

/** @param hides whether its styles hide its content, or may do so */
export const mayCover = (styles: ElementStyles, around: Surroundings, hides: boolean): boolean => {
  const isNudged = styles.has(NUDGE) && (around.nudges >= MAX_NUDGES || around.fontSize > MAX_NUDGED_FONT);
  if (styles.has(COVER) || isNudged || isOverPage(styles) || isFar(styles)) return true;
  if (styles.name === 'col' || styles.name === 'colgroup') return hidesColumn(styles, around.isFixedTable, hides);
  return spills(styles, around) || overflows(styles, around);
};
