/** What an element passes on to the words in it, for review. */

import { toPixels } from '../css/declarations.ts';
import type { Surroundings } from './covering.ts';
import { type ElementStyles, smallest } from './element-styles.ts';
import type { Room } from './room.ts';

export interface State {
  isDoubtful: boolean;
  fontSize: number;
  /** As a part of the font's size, or in pixels. */
  lineHeight: { factor: number } | { pixels: number };
  opacity: number;
  /** Pixels from the page's left side. */
  shift: number;
  /** Box that cuts what is beyond it. */
  cut: { shift: number; width: number | null } | null;
  width: number | null;
  room: Room | null;
  isUnbroken: boolean;
  isFixedTable: boolean;
  hasSigns: boolean;
  /** Between letters, in pixels. */
  letterSpacing: number;
  /** Whether its elements are boxes in a row or a grid. */
  hasItems: boolean;
  isFromRight: boolean;
  nudges: number;
  raised: Surroundings['raised'];
  /** Whether a box around it cuts what is beyond it. */
  isClipped: boolean;
  /** Of the page's links. */
  linkColors: readonly string[];
  clearance: number;
}

export const START: State = {
  isDoubtful: false,
  fontSize: 16,
  lineHeight: { factor: 1.2 },
  opacity: 1,
  shift: 0,
  cut: null,
  width: null,
  room: null,
  isUnbroken: false,
  isFixedTable: false,
  hasSigns: false,
  letterSpacing: 0,
  hasItems: false,
  isFromRight: false,
  nudges: 0,
  raised: null,
  isClipped: false,
  linkColors: [],
  clearance: 0,
};

const LINE = /(?:^|\s)[\w.%-]{1,20}\s{0,9}\/\s{0,9}([\w.%-]{1,20})(?:\s|$)/;

export const readLineHeight = (styles: ElementStyles, state: State): State['lineHeight'] => {
  const written = [
    ...styles.values('line-height'),
    ...styles.values('font').flatMap((font) => LINE.exec(font.slice(0, 200))?.[1] ?? []),
  ];
  let found: State['lineHeight'] | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const value of written) {
    const isFactor = /^[\d.]{1,20}$/.test(value);
    const pixels = isFactor ? Number(value) * state.fontSize : toPixels(value, state.fontSize);
    if (pixels === null) {
      if (/^(?:normal|initial)$/.test(value)) found ??= START.lineHeight;
    } else if (pixels < least) {
      least = pixels;
      found = isFactor ? { factor: Number(value) } : { pixels };
    }
  }
  return found ?? state.lineHeight;
};

export const factorOf = ({ lineHeight, fontSize }: State): number =>
  'factor' in lineHeight ? lineHeight.factor : lineHeight.pixels / Math.max(1, fontSize);

/** In pixels. */
export const lineHeightIn = (state: State): number => Math.max(1, state.fontSize, state.fontSize * factorOf(state));

export const readOpacity = (styles: ElementStyles): number =>
  smallest(
    styles
      .values('opacity')
      .map((value) => Number.parseFloat(value) * (value.endsWith('%') ? 0.01 : 1))
      .filter((value) => value >= 0),
    1,
  );
