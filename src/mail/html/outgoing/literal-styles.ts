/** The style properties of outgoing HTML: each with literal values alone, within bounds. */

import { blend, type Color, readColor, writeColor } from '../colors.ts';
import type { Declarations } from '../css/declarations.ts';
import { SMALLER, sideOf, toPixels } from '../css/lengths.ts';

/** Pixels. */
const MIN_SIZE = 10;
const MAX_SIZE = 96;
const MAX_PADDING = 64;
const MAX_BORDER = 8;
const MAX_WIDTH = 1_200;

const NAMED_SIZES: Readonly<Record<string, number>> = {
  'xx-small': 10,
  'x-small': 10,
  small: 13,
  medium: 16,
  large: 18,
  'x-large': 24,
  'xx-large': 32,
};
const ALIGNED: Readonly<Record<string, string>> = { left: 'left', start: 'left', right: 'right', end: 'right' };
const WEIGHTS = /^(?:normal|bold|[1-9]00)$/;
const BORDER_STYLE = /^(?:solid|dashed|dotted|double)$/;
const SIDES = ['top', 'right', 'bottom', 'left'] as const;

const within = (value: number, least: number, most: number): number =>
  Math.round(Math.min(Math.max(value, least), most) * 10) / 10;

/** @returns the colour without transparency; null for none that is seen */
export const toOpaque = (color: Color | null, behind: Color): Color | null =>
  color === null || color.alpha === 0 ? null : blend(color, behind);

/** @returns a colour without transparency; null for none that is literal */
export const readLiteralColor = (value: string | undefined, behind: Color): Color | null =>
  toOpaque(value === undefined ? null : readColor(value, { legacy: true }), behind);

/** @param parent the parent's size in pixels */
export const readSize = (value: string | undefined, parent: number): number | null => {
  if (value === undefined) return null;
  const pixels =
    NAMED_SIZES[value] ??
    (value === 'smaller' ? parent * SMALLER : value === 'larger' ? parent / SMALLER : toPixels(value, parent));
  return pixels === null ? null : within(pixels, MIN_SIZE, MAX_SIZE);
};

export const readWeight = (value: string | undefined): string | null => {
  if (value === 'bolder' || value === 'lighter') return value === 'bolder' ? 'bold' : 'normal';
  return value !== undefined && WEIGHTS.test(value) ? value : null;
};

export const readAlign = (value: string | undefined): string | null =>
  ALIGNED[value ?? ''] ?? (value === 'center' || value === 'justify' ? value : null);

export const readVerticalAlign = (value: string | undefined): string | null =>
  /^(?:top|middle|bottom)$/.test(value ?? '') ? (value ?? null) : null;

/** Pixels or a percentage. */
export const readWidth = (value: string | undefined): string | null => {
  if (value === undefined) return null;
  const number = toPixels(value, 0);
  if (value.endsWith('%')) return `${within(Number.parseFloat(value), 1, 100)}%`;
  return number === null || number <= 0 ? null : `${within(number, 1, MAX_WIDTH)}px`;
};

/** @returns the pixels of the four sides, from the top; null for none */
export const readPadding = (styles: Declarations, size: number): number[] | null => {
  const sides = SIDES.map((name, side) => {
    const shorthand = styles.get('padding')?.value.split(/\s+/, 4) ?? [];
    const value = styles.get(`padding-${name}`)?.value ?? sideOf(shorthand, side) ?? '';
    const pixels = value.endsWith('%') ? null : toPixels(value, size);
    return pixels === null ? 0 : within(pixels, 0, MAX_PADDING);
  });
  return sides.some((pixels) => pixels > 0) ? sides : null;
};

/** `1px solid #ccc`, its parts in any order. */
const readBorder = (value: string | undefined, behind: Color): string | null => {
  const parts = value?.split(/\s+(?![^(]*\))/, 4) ?? [];
  const style = parts.find((part) => BORDER_STYLE.test(part));
  if (!style || parts.length > 3) return null;
  const width = parts.map((part) => toPixels(part, 16)).find((pixels) => pixels !== null) ?? 1;
  const color = parts.map((part) => readLiteralColor(part, behind)).find((read) => read !== null);
  if (width <= 0) return null;
  return `${within(width, 1, MAX_BORDER)}px ${style} ${writeColor(color ?? { red: 204, green: 204, blue: 204, alpha: 1 })}`;
};

/** @returns by property */
export const readBorders = (styles: Declarations, behind: Color): [name: string, value: string][] =>
  ['border', ...SIDES.map((side) => `border-${side}`)].flatMap((name): [string, string][] => {
    const border = readBorder(styles.get(name)?.value, behind);
    return border === null ? [] : [[name, border]];
  });

/** The properties that are written. */
const OWN =
  /^(?:color|background|background-color|font-size|font-weight|text-align|vertical-align|padding(?:-(?:top|right|bottom|left))?|border(?:-(?:top|right|bottom|left|collapse))?|width)$/;
/** Vendor properties, which mail has by the dozen. */
const VENDOR = /^(?:-|mso-|\*)/;

/** The properties of a style that are not written. */
export const lostStyles = (styles: Declarations): string[] =>
  [...styles.keys()].filter((name) => !OWN.test(name) && !VENDOR.test(name));
