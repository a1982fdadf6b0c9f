/**
 * Bounds what is painted beside a box and over its text: shadows, outlines, lines and borders. In the colour of the page
 * they hide words, of their element or of the elements around it.
 */

import { readColor } from '../colors.ts';

const GLOBAL = /^(?:none|inherit|initial|unset|revert|revert-layer)$/;
const COLOR = /#[\da-f]{3,8}\b|\b(?:rgb|hsl)a?\([^()]{0,100}\)/g;
/** Alpha of a colour through which words are read. */
const FAINT = 0.3;
/** Shadows of one element that are not faint: each covers a part of what those before it leave. */
const MAX_SHADOWS = 3;
const MAX_LAYERS = 8;

/** Bounds in pixels of how far a shadow is moved and spread, and of how far a blurred one reaches. */
const BOX = { offset: 8, reach: 30 };
const TEXT = { offset: 4, reach: 12 };

const PIXELS: Readonly<Record<string, number>> = { px: 1, pt: 4 / 3, em: 16, rem: 16 };
const LENGTH = /^([+-]?(?:\d{1,4}(?:\.\d{0,9})?|\.\d{1,9}))(px|pt|r?em)?$/;

/** Null for what is no length. */
const toLength = (word: string): number | null => {
  const match = LENGTH.exec(word);
  if (!match) return null;
  const number = Number(match[1]);
  return match[2] === undefined && number !== 0 ? null : number * (PIXELS[match[2] ?? 'px'] ?? 1);
};

type Strength = 'faint' | 'bounded' | 'far';

const strengthOf = (layer: string, { offset, reach }: { offset: number; reach: number }): Strength => {
  const color = layer.match(COLOR)?.join(' ');
  const words = layer.replace(COLOR, ' ').trim().split(/\s+/);
  const lengths = words.map(toLength).filter((length) => length !== null);
  const names = words.filter((word) => toLength(word) === null && word !== '');
  if (lengths.length < 2 || lengths.length > 4 || names.some((name) => !/^[a-z]{3,24}$/.test(name))) return 'far';
  const written = color ?? names[0];
  const read = written === undefined ? null : readColor(written);
  if (read !== null && read.alpha <= FAINT) return 'faint';
  const [right = 0, down = 0, blur = 0, spread = 0] = lengths;
  const moved = Math.max(Math.abs(right), Math.abs(down)) + Math.max(-reach, spread);
  return moved - blur / 2 <= offset && moved <= reach && (offset > TEXT.offset || blur <= reach) ? 'bounded' : 'far';
};

/** Tests whether the shadows, of a box or of a text, are too near or too faint to cover words. */
export const isNearShadow = (value: string, isText: boolean): boolean => {
  if (GLOBAL.test(value)) return true;
  const layers = value.split(/,(?![^(]*\))/, MAX_LAYERS + 1);
  if (layers.length > MAX_LAYERS || value.length > 600) return false;
  const strengths = layers.map((layer) => strengthOf(layer, isText ? TEXT : BOX));
  return !strengths.includes('far') && strengths.filter((each) => each === 'bounded').length <= MAX_SHADOWS;
};

const STYLES = 'none|hidden|auto|solid|double|dotted|dashed|wavy|groove|ridge|inset|outset';
const WORDS = new RegExp(
  `^(?:${STYLES}|thin|medium|thick|[a-z]{3,24}|[0-4](?:\\.\\d{0,9})?px|\\.\\d{1,9}px|[0-3](?:\\.\\d{0,9})?pt|0)$`,
);

/** Tests whether an outline is thin. */
export const isThinOutline = (value: string): boolean =>
  value.length <= 200 &&
  value
    .replace(COLOR, ' ')
    .trim()
    .split(/\s+/)
    .every((word) => word === '' || WORDS.test(word));

const LINES = /^(?:none|underline|overline|line-through|blink|solid|double|dotted|dashed|wavy|auto|from-font)$/;
const THIN =
  /^(?:auto|from-font|[0-3](?:\.\d{0,9})?px|\.\d{1,9}(?:px|em)|0?\.0\d{0,9}em|[0-2](?:\.\d{0,9})?pt|0|inherit|initial|unset)$/;

/** Tests whether the lines at a text are thin, and not of a colour of their own across it. */
export const isThinLine = (value: string): boolean => {
  if (value.length > 200) return false;
  const words = value.replace(COLOR, ' #').trim().split(/\s+/);
  const others = words.filter((word) => !LINES.test(word) && !THIN.test(word) && !GLOBAL.test(word));
  const isColored = others.some((word) => word !== 'currentcolor');
  return (
    others.every((word) => word === '#' || /^[a-z]{3,24}$/.test(word)) && !(isColored && words.includes('line-through'))
  );
};

export const isThinThickness = (value: string): boolean => THIN.test(value);

/** Widths that push words off the page. */
const WIDE = /\d{3}|e[+-]?\d|\d(?:r?em|in|cm|mm|pc|v|q)|-\d|\(/;

/** Tests whether a border, or what stands on it, keeps to the place that a page gives it. */
export const isKnownBorder = (name: string, value: string): boolean => {
  if (/-image/.test(name)) return GLOBAL.test(value);
  if (/-(?:color|style|collapse)$|radius$/.test(name)) return true;
  return !WIDE.test(value.replace(COLOR, ''));
};
