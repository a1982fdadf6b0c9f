/** Writes the style of an element: literal values of a few properties, by its style and by the attributes of old HTML. */

import { readBackground } from '../backgrounds.ts';
import { BLACK, type Color, contrast, LINK, WHITE, writeColor } from '../colors.ts';
import type { Declarations } from '../css/declarations.ts';
import {
  lostStyles,
  readAlign,
  readBorders,
  readLiteralColor,
  readPadding,
  readSize,
  readVerticalAlign,
  readWeight,
  readWidth,
  toOpaque,
} from './literal-styles.ts';
import { BLOCK, CELL, HEADING_SIZES, INDENTED, SIZED } from './small-language.ts';

/** What the content of an element inherits. */
export interface OutgoingLook {
  color: Color;
  background: Color;
  /** Whether the background is the mail's own, and not the program's page. */
  hasBackground: boolean;
  /** The size of letters, in pixels. */
  size: number;
  /** Pixels by which the content is moved in. */
  indent: number;
}

export const PAGE_LOOK: OutgoingLook = { color: BLACK, background: WHITE, hasBackground: false, size: 16, indent: 0 };

/** WCAG 2.2 section 1.4.3 asks for 4.5; below 1.5 letters cannot be told from their background. */
const MIN_CONTRAST = 1.5;
/** Pixels: half of a narrow page. */
const MAX_INDENT = 400;
/** Browsers indent lists and quotes by so many pixels. */
const OWN_INDENT = 40;
/** `<font size>`, in pixels. */
const FONT_SIZES = ['10px', '13px', '16px', '18px', '24px', '32px', '48px'];
const RELATIVE_SIZES: Readonly<Record<string, string>> = { small: 'smaller', big: 'larger' };

export interface StyledPart {
  /** The name of the page's element; the next one is that of the written element. */
  name: string;
  written: string;
  attributes: ReadonlyMap<string, string>;
  styles: Declarations;
  isLink: boolean;
}

/**
 * Chooses colours that can be read together: as given, without the text's colour, without the background, or the
 * surrounding ones.
 */
const choosePair = (
  color: Color | null,
  background: Color | null,
  around: OutgoingLook,
): [color: Color | null, background: Color | null] => {
  const pairs: [Color | null, Color | null][] = [
    [color, background],
    [null, background],
    [color, null],
  ];
  const isRead = ([one, other]: [Color | null, Color | null]): boolean =>
    contrast(one ?? around.color, other ?? around.background) >= MIN_CONTRAST;
  return pairs.find(isRead) ?? [null, null];
};

const readColors = ({ name, attributes, styles, isLink }: StyledPart, around: OutgoingLook) => {
  const hint = name === 'font' ? attributes.get('color') : name === 'body' ? attributes.get('text') : undefined;
  const { color: set, hasImage } = readBackground([styles]);
  const background = set
    ? toOpaque(set, around.background)
    : readLiteralColor(attributes.get('bgcolor'), around.background);
  const given = readLiteralColor(styles.get('color')?.value ?? hint, background ?? around.background);
  // On a background of its own a link's colour is written: the program's own colour suits only the program's page.
  const color = given ?? (isLink && around.hasBackground ? LINK : null);
  const [kept, behind] = choosePair(color, background, around);
  const isLost = (given !== null && kept === null) || (background !== null && behind === null);
  return { color: kept, background: behind, isLost, hasImage: hasImage || attributes.has('background') };
};

/** @returns the style in the order of its properties, the look of the content, and what was lost */
export const rewriteLook = (
  part: StyledPart,
  around: OutgoingLook,
): { style: string; look: OutgoingLook; lost: string[] } => {
  const { name, written, attributes, styles } = part;
  const properties: [string, string | null][] = [];
  const lost = lostStyles(styles).map((property) => `style ${property}`);
  const isBlock = BLOCK.has(written);

  const { color, background, isLost, hasImage } = readColors(part, around);
  if (isLost) lost.push('color');
  if (hasImage) lost.push('style background-image');
  const hasBackground = around.hasBackground || background !== null;
  const shown = color ?? around.color;
  // Programs give a table the colour of their page, and dark ones give text a light colour.
  const isColored = color !== null || background !== null || (part.isLink && hasBackground) || written === 'table';
  if (isColored && (color !== null || hasBackground || shown !== BLACK)) properties.push(['color', writeColor(shown)]);
  if (background) properties.push(['background-color', writeColor(background)]);

  const hint = name === 'font' ? FONT_SIZES[Number(attributes.get('size') ?? 0) - 1] : RELATIVE_SIZES[name];
  const heading = HEADING_SIZES.get(name);
  const own = readSize(styles.get('font-size')?.value ?? hint, around.size) ?? heading ?? null;
  const size = own ?? around.size;
  if (own !== null || (written === 'table' && size !== PAGE_LOOK.size)) properties.push(['font-size', `${size}px`]);
  properties.push(['font-weight', readWeight(styles.get('font-weight')?.value)]);

  let indent = around.indent + (INDENTED.has(written) ? OWN_INDENT : 0);
  const padding = readPadding(styles, size);
  if (padding) {
    const [top = 0, right = 0, bottom = 0, left = 0] = padding;
    const isDrawn = isBlock || left + right > 0;
    const isKept = isDrawn && indent + left + right <= MAX_INDENT && written !== 'tr' && written !== 'img';
    // Vertical padding in a line would paint over the lines beside it.
    if (isKept) properties.push(['padding', isBlock ? px([top, right, bottom, left]) : px([0, right, 0, left])]);
    if (isKept) indent += left + right;
    else lost.push('style padding');
  }
  if (isBlock) {
    properties.push(...readBorders(styles, background ?? around.background));
    properties.push(['text-align', readAlign(styles.get('text-align')?.value ?? alignHint(part))]);
  }
  if (written === 'table' && styles.get('border-collapse')?.value === 'collapse') {
    properties.push(['border-collapse', 'collapse']);
  }
  if (CELL.has(written)) {
    properties.push([
      'vertical-align',
      readVerticalAlign(styles.get('vertical-align')?.value ?? attributes.get('valign')?.toLowerCase()),
    ]);
  }
  if (SIZED.has(written)) {
    properties.push(['width', readWidth(styles.get('width')?.value) ?? readWidth(attributes.get('width'))]);
  }
  return {
    style: properties.flatMap(([property, value]) => (value === null ? [] : [`${property}:${value}`])).join(';'),
    look: {
      color: part.isLink && color === null && !hasBackground ? LINK : shown,
      background: background ?? around.background,
      hasBackground,
      size,
      indent,
    },
    lost,
  };
};

const px = (sides: readonly number[]): string => sides.map((pixels) => (pixels === 0 ? '0' : `${pixels}px`)).join(' ');

/** The alignment by `align`; on a table or an image that attribute floats instead. */
const alignHint = ({ name, written, attributes }: StyledPart): string | undefined => {
  if (name === 'center') return 'center';
  return written === 'table' || written === 'hr' ? undefined : attributes.get('align')?.toLowerCase();
};

/** Whether another indented element would move its words too far. */
export const isTooFar = ({ indent }: OutgoingLook): boolean => indent + OWN_INDENT > MAX_INDENT;
