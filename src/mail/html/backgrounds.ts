/** Computes the background of an element from its styles and attributes. */

import { blend, type Color, readColor, readLegacyColor } from './colors.ts';
import type { Declarations } from './css/declarations.ts';
import type { Attributes } from './nesting.ts';

/** What an element sets. */
export interface Background {
  /** Undefined where the element sets none; null where its value is unknown. */
  color: Color | null | undefined;
  /** Whether a picture or a gradient covers the colour. */
  hasImage: boolean;
  /** The colours of a gradient; none where a picture covers it, or a colour is unknown. */
  shades: readonly Color[];
}

/** What is behind an element's text. */
export interface Backdrop {
  /** Null where unknown: an image or a gradient may be behind the text. */
  background: Color | null;
  /** The colours of that gradient, where they are known. */
  shades: readonly Color[];
  /** The background colour that is displayed without images. */
  canvas: Color;
}

/** Alpha from which nothing behind it is seen. */
const OPAQUE = 0.9;
const IMAGE = /(?:url|gradient|image|image-set|element|cross-fade|paint)\(/;
/** Keywords of the shorthand that are no colour: positions, sizes, repetition, and `none`. */
const NO_COLOR =
  /^(?:none|inherit|initial|unset|revert|revert-layer|repeat|repeat-[xy]|no-repeat|space|round|scroll|fixed|local|left|right|top|bottom|center|cover|contain|auto|(?:border|padding|content)-box|text|\/|[+-]?[\d.]+(?:px|pt|em|rem|%|vw|vh)?)?$/;

const colorIn = (value: string): Color | null | undefined => {
  const words = value
    .replaceAll('/', ' ')
    .split(/[\s,]+(?![^(]*\))/, 20)
    .filter((word) => !IMAGE.test(word) && !NO_COLOR.test(word));
  if (words.length === 0) return undefined;
  return readColor(value) ?? words.map((word) => readColor(word)).find((read) => read !== null) ?? null;
};

const GRADIENT = /^(?:-webkit-|-moz-|-o-)?(?:repeating-)?(?:linear|radial|conic)-gradient\(([^;]{1,500})\)$/;
/** Of a gradient: directions, angles, shapes and places of its colours. */
const PLACING =
  /^(?:to|at|from|in|top|bottom|left|right|center|circle|ellipse|(?:closest|farthest)-(?:side|corner)|[+-]?[\d.]+(?:px|em|rem|%|deg|rad|turn|grad)?)$/;

/** None where one is unknown or lets through what is behind it, or where more than one gradient is there. */
const shadesIn = (value: string): Color[] => {
  const inner = GRADIENT.exec(value.trim())?.[1] ?? '';
  const words = inner.split(/[\s,]+(?![^(]*\))/, 60).filter((word) => word !== '' && !PLACING.test(word));
  const colors = words.map((word) => readColor(word));
  return colors.every((color) => color !== null && color.alpha >= OPAQUE) ? (colors as Color[]) : [];
};

/** @param blocks in ascending precedence */
export const readBackground = (blocks: readonly Declarations[]): Background => {
  let color: Color | null | undefined;
  let image: string | null = null;
  for (const isImportant of [false, true]) {
    for (const block of blocks) {
      for (const [name, { value, important }] of block) {
        if (important !== isImportant) continue;
        if (name === 'background' || name === 'background-color') color = colorIn(value);
        if (name === 'background' || name === 'background-image') image = IMAGE.test(value) ? value : null;
      }
    }
  }
  return { color, hasImage: image !== null, shades: image === null ? [] : shadesIn(image) };
};

/** Elements on which browsers apply `bgcolor`. */
const HEEDS_BGCOLOR = /^(?:body|table|thead|tbody|tfoot|tr|td|th|marquee)$/;

export const backdropOf = (own: Background, name: string, attributes: Attributes, parent: Backdrop): Backdrop => {
  const written = HEEDS_BGCOLOR.test(name) ? attributes.get('bgcolor') : undefined;
  const color = own.color === undefined ? readLegacyColor(written) : own.color;
  const canvas = color ? blend(color, parent.canvas) : parent.canvas;
  if (own.hasImage || attributes.has('background') || color === null) {
    return { background: null, shades: own.shades, canvas };
  }
  if (color === undefined || color.alpha === 0) return { background: parent.background, shades: parent.shades, canvas };
  if (color.alpha >= OPAQUE) return { background: color, shades: [], canvas };
  return { background: parent.background && blend(color, parent.background), shades: [], canvas };
};
