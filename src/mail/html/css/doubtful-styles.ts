/** Detects styles that may hide text and whose effect is not computed. */

import { COMPUTED, CUT, DOUBT, toPixels } from './declarations.ts';

type Get = (property: string) => string | undefined;

/** Properties whose computed values may hide text by themselves. */
const DECISIVE =
  'display visibility opacity font-size font filter color background background-color clip clip-path transform left top right bottom inset margin margin-left margin-top text-indent max-height max-width all -webkit-text-fill-color'.split(
    ' ',
  );
const SIZES = [
  'height',
  'width',
  'block-size',
  'inline-size',
  'max-width',
  'max-block-size',
  'max-inline-size',
  'line-height',
];
/** Properties that hide text with any value but these. */
const UNLESS: readonly [name: string, harmless: RegExp][] = [
  ['clip-path', /^(?:none|inherit|initial|unset)$/],
  ['mask', /^(?:none|inherit|initial|unset)$/],
  ['mask-image', /^(?:none|inherit|initial|unset)$/],
  ['-webkit-mask', /^(?:none|inherit|initial|unset)$/],
  ['-webkit-mask-image', /^(?:none|inherit|initial|unset)$/],
  ['scale', /^(?:none|1|[1-9].*)$/],
  ['zoom', /^(?:normal|1|100%|[1-9].*)$/],
  ['translate', /^(?:none|0.*)$/],
  ['rotate', /^(?:none|0.*)$/],
  ['content', /^(?:normal|none|"[^"]*"|'[^']*')$/],
  ['-webkit-text-security', /^none$/],
  ['unicode-bidi', /^(?:normal|embed|isolate|plaintext|inherit|initial|unset)$/],
  ['max-block-size', /^(?!0|1px)/],
  ['-webkit-opacity', /^1/],
  ['-moz-opacity', /^1/],
];
const TURNED = /matrix|rotate(?:x|y|3d)|perspective|scale(?:x|y|3d)?\(\s*(?:0|\.)|scale(?:x|y|3d)?\([^)]*,\s*(?:0|\.)/;
const FADED = /opacity\(|blur\(|brightness\(|contrast\(/;
const KNOWN_SIZE = /^(?:x{0,3}-?(?:small|large)(?:er)?|medium|inherit|initial|unset|revert|revert-layer)$/;

/** Sizes that cut what goes beyond them, unless they are those of the content. */
const CLIPPING = ['height', 'max-height'];
const UNCLIPPED = /^(?:|auto|none|100%|initial|unset|(?:min|max|fit)-content)$/;
const FONT = /(?:^|\s)([+\d.-][^\s/]*)(?=\s|\/|$)(?!\s{0,9}[\w.]{0,9}$)/;
/** The shorthand: another may override its size, or be overridden. */
const isTinyFont = (font: string | undefined): boolean => {
  const size = FONT.exec((font ?? '').replace(/(?:^|\s)[1-9]00(?=\s)/g, ' '))?.[1];
  const pixels = size === undefined ? 16 : toPixels(size, 16);
  return pixels === null || pixels < 6;
};

/** A width below which words are cut, and corners that cut them. */
const NARROW_PX = 40;
const MAX_RADIUS_PX = 60;

const cutsWords = (get: Get): boolean => {
  const widths = ['width', 'max-width'].map((name) => toPixels(get(name) ?? '', 600));
  if (widths.some((width) => width !== null && width < NARROW_PX)) return true;
  const radii = (get('border-radius') ?? '').split(/[\s/]+/, 8).map((radius) => toPixels(radius, 300));
  return radii.some((radius) => radius !== null && radius > MAX_RADIUS_PX);
};

/** A base that an item of a row does not grow from. */
const NO_BASE = /^(?:0\d?|0 [\d.]{1,9}(?: \d?\d(?:px|%)?)?|\d?\d(?:px|%))$/;
const BASES = ['flex', 'flex-basis', '-webkit-flex'];

/** @param isCut whether content beyond the element's box is not displayed */
export const isDoubtful = (get: Get, isCut: boolean): boolean => {
  if (get(CUT) !== undefined || get(DOUBT) !== undefined) return true;
  if (isCut && CLIPPING.some((name) => !UNCLIPPED.test(get(name) ?? ''))) return true;
  if (isCut && BASES.some((name) => NO_BASE.test(get(name) ?? ''))) return true;
  if (isCut && cutsWords(get)) return true;
  if (isCut && get('white-space') === 'nowrap') return true;
  if (isTinyFont(get('font'))) return true;
  if (DECISIVE.some((name) => COMPUTED.test(get(name) ?? ''))) return true;
  if (isCut && SIZES.some((name) => COMPUTED.test(get(name) ?? ''))) return true;
  if (isCut && toPixels(get('line-height') ?? '', 16) === 0) return true;
  if (UNLESS.some(([name, harmless]) => get(name) !== undefined && !harmless.test(get(name) ?? ''))) return true;
  if (TURNED.test(get('transform') ?? '') || FADED.test(get('filter') ?? '')) return true;
  const size = get('font-size');
  if (size !== undefined && !KNOWN_SIZE.test(size) && toPixels(size, 16) === null) return true;
  return (toPixels(get('letter-spacing') ?? '', 16) ?? 0) <= -4;
};
