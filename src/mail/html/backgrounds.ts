/** Computes the background of an element from its styles and attributes. */

import { type Color, readColor } from './colors.ts';
import type { Declarations } from './css/declarations.ts';

export interface Background {
  /** Undefined where the element sets none; null where its value is unknown. */
  color: Color | null | undefined;
  /** Whether a picture or a gradient covers the colour. */
  hasImage: boolean;
}

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
