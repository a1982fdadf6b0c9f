/** Reads lengths of CSS and the sides of a shorthand. */

const LENGTH = /^([+-]?(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9}))(px|pt|pc|in|cm|mm|em|rem|ex|ch|vw|vh|%)?$/;
/** Pixels of a unit, and the part of the base that a relative one is; of a window of 1000 pixels for `vw` and `vh`. */
const UNITS: Readonly<Record<string, number>> = { pt: 4 / 3, pc: 16, rem: 16, in: 96, cm: 38, mm: 3.8, vw: 10, vh: 10 };
const RELATIVE: Readonly<Record<string, number>> = { em: 1, ex: 0.5, ch: 0.5, '%': 0.01 };

/** `smaller`, and elements as `small`, as a part of the size around them. */
export const SMALLER = 5 / 6;

/** Converts a length to pixels; percentages and relative units are of `base`. Null for an invalid length. */
export const toPixels = (value: string, base: number): number | null => {
  const [, number, unit = ''] = LENGTH.exec(value) ?? [];
  if (number === undefined) return null;
  const part = RELATIVE[unit];
  return Number(number) * (part === undefined ? (UNITS[unit] ?? 1) : part * base);
};

/** Returns the value of a side, counted from the top, of a shorthand with one to four values. */
export const sideOf = (values: readonly string[], side: number): string | undefined =>
  values[side] ?? values[side === 3 ? 1 : side - 2] ?? values[0];
