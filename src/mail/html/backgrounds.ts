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
}

/** What is behind an element's text. */
export interface Backdrop {
  /** Null where unknown: an image or a gradient may be behind the text. */
  background: Color | null;
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

/** @param blocks in ascending precedence */
export const readBackground = (blocks: readonly Declarations[]): Background => {
  let color: Color | null | undefined;
  let hasImage = false;
  for (const isImportant of [false, true]) {
    for (const block of blocks) {
      for (const [name, { value, important }] of block) {
        if (important !== isImportant) continue;
        if (name === 'background' || name === 'background-color') color = colorIn(value);
        if (name === 'background' || name === 'background-image') hasImage = IMAGE.test(value);
      }
    }
  }
  return { color, hasImage };
};

/** Elements on which browsers apply `bgcolor`. */
const HEEDS_BGCOLOR = /^(?:body|table|thead|tbody|tfoot|tr|td|th|marquee)$/;

export const backdropOf = (own: Background, name: string, attributes: Attributes, parent: Backdrop): Backdrop => {
  const written = HEEDS_BGCOLOR.test(name) ? attributes.get('bgcolor') : undefined;
  const color = own.color === undefined ? readLegacyColor(written) : own.color;
  const canvas = color ? blend(color, parent.canvas) : parent.canvas;
  if (own.hasImage || attributes.has('background') || color === null) {
    return { background: null, canvas };
  }
  if (color === undefined || color.alpha === 0) return { background: parent.background, canvas };
  if (color.alpha >= OPAQUE) return { background: color, canvas };
  return { background: parent.background && blend(color, parent.background), canvas };
};
