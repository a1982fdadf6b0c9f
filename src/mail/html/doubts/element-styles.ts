/** Reads what may apply to an element: of each property all values, be they overridden or under a condition. */

import { COMPUTED, type Declarations, toPixels } from '../css/declarations.ts';
import { BLOCKS, CELLS, ROW_GROUPS } from '../elements.ts';
import type { Attributes } from '../nesting.ts';

export interface Block {
  declarations: Declarations;
  /** Whether it applies in each program. */
  isCertain: boolean;
}

export interface ElementStyles {
  name: string;
  attributes: Attributes;
  /** All values that may hold for the properties. */
  values(...properties: string[]): string[];
  /** Whether a value holds, or may hold beside no other. */
  isSet(property: string): boolean;
  has(mark: string): boolean;
  /** Whether it is a box in a row or a grid of its parent. */
  isItem: boolean;
  /** Whether it has neither styles nor attributes. */
  isBare: boolean;
}

const REPLACED: ReadonlySet<string> = new Set(
  'img input button select textarea video audio canvas iframe object embed svg hr meter progress marquee'.split(' '),
);
const TABLE_PARTS: ReadonlySet<string> = new Set([
  ...['table', 'tr', 'caption', 'col', 'colgroup'],
  ...CELLS,
  ...ROW_GROUPS,
]);

const NONE: string[] = [];

export const readStyles = (
  name: string,
  attributes: Attributes,
  blocks: readonly Block[],
  isItem: boolean,
): ElementStyles => {
  const all = new Map<string, string[]>();
  const certain = new Set<string>();
  for (const { declarations, isCertain } of blocks) {
    for (const [property, { value }] of declarations) {
      const values = all.get(property);
      if (!values) all.set(property, [value]);
      else if (!values.includes(value)) values.push(value);
      if (isCertain) certain.add(property);
    }
  }
  const valuesOf = (property: string): readonly string[] => all.get(property) ?? NONE;
  return {
    name,
    attributes,
    values: (...properties) => (all.size === 0 ? [] : properties.flatMap(valuesOf)),
    isSet: (property) => certain.has(property),
    has: (mark) => all.has(mark),
    isItem,
    isBare: all.size === 0 && attributes.size === 0,
  };
};

export const isReplaced = ({ name }: ElementStyles): boolean => REPLACED.has(name);

/** Whether it may be as high and as wide as its words, whatever size is given. */
export const growsWithWords = ({ name, values }: ElementStyles): boolean => {
  const displays = values('display');
  const isPart =
    TABLE_PARTS.has(name) && displays.every((display) => /^(?:table|inline-table|none|inherit)/.test(display));
  return isPart || (displays.length > 0 && displays.every((display) => /^(?:inline-)?table/.test(display)));
};

/** Whether it may stand in a line of text without a box of its own. */
export const mayBeInline = (styles: ElementStyles): boolean => {
  const { name, values, isSet, isItem } = styles;
  if (isItem) return false;
  if (values('display').some((display) => /^(?:inline|contents|inherit|initial|unset)$/.test(display))) return true;
  const isInline = !BLOCKS.has(name) && !TABLE_PARTS.has(name) && name !== 'li' && !isReplaced(styles);
  return isInline && !isSet('display') && !(isSet('float') && values('float').every((side) => side !== 'none'));
};

/** Whether it may have a box of its own. */
export const mayBeBox = (styles: ElementStyles): boolean => {
  const { name, values, isItem } = styles;
  if (isItem) return true;
  if (values('float').some((side) => /left|right/.test(side))) return true;
  const displays = values('display');
  if (displays.length > 0) return displays.some((display) => !/^(?:inline|contents|none)$/.test(display));
  return BLOCKS.has(name) || TABLE_PARTS.has(name) || name === 'li' || isReplaced(styles);
};

const FONT_PX = 16;

/** Pixels of lengths, a percentage of `base`, a computed one as none; `auto` and the like are left out. */
export const pixelsOf = (values: readonly string[], base: number, computed = 0): number[] =>
  values.flatMap((value) => {
    if (COMPUTED.test(value)) return [computed];
    const pixels = toPixels(value, value.endsWith('%') ? base : FONT_PX);
    return pixels === null ? [] : [pixels];
  });

const SIDES = { top: 0, right: 1, bottom: 2, left: 3 } as const;
export type Side = keyof typeof SIDES;

/** Of a shorthand with one to four values. */
const sideIn = (shorthand: string, side: Side): string => {
  const parts = shorthand.split(/\s+/, 4);
  const at = SIDES[side];
  return parts[at] ?? parts[at === 3 ? 1 : 0] ?? parts[0] ?? '';
};

/** Pixels that `margin` or `padding` may have at a side. */
export const spaceAt = ({ values }: ElementStyles, kind: 'margin' | 'padding', side: Side, base: number): number[] =>
  pixelsOf([...values(kind).map((value) => sideIn(value, side)), ...values(`${kind}-${side}`)], base);

const WIDTH = /(?:^|\s)((?:\d{1,3}(?:\.\d{0,9})?|\.\d{1,9})(?:px|pt|em)?|thin|medium|thick)(?=\s|$)/g;

/** Pixels of a border above or below at most. */
export const borderAround = ({ values }: ElementStyles): number => {
  const borders = values(
    'border',
    'border-top',
    'border-bottom',
    'border-width',
    'border-top-width',
    'border-bottom-width',
  );
  const widths = borders.flatMap((border) =>
    /none|hidden/.test(border) ? [] : [...border.matchAll(WIDTH)].map(([, width = '']) => toPixels(width, 16) ?? 4),
  );
  return Math.max(0, ...widths);
};

const NO_PAINT = /^(?:none|transparent|inherit|initial|unset|0(?: 0)?|#0000|rgba\(0, ?0, ?0, ?0\))$/;

/** Whether something may be painted behind its words. */
export const paints = ({ values, attributes }: ElementStyles): boolean =>
  attributes.has('background') ||
  attributes.has('bgcolor') ||
  values('background', 'background-color', 'background-image').some((value) => !NO_PAINT.test(value));

export const smallest = (numbers: readonly number[], otherwise: number): number =>
  numbers.length === 0 ? otherwise : Math.min(...numbers);
export const largest = (numbers: readonly number[]): number => Math.max(0, ...numbers);
