/**
 * Computes whether the text of an element is visible, as a browser does (CSS Display, Color and Cascade) but without a
 * layout. It reads the element's attributes and styles and its parent's look. Undecidable cases count as visible.
 */

import { type Backdrop, type Background, backdropOf, readBackground } from './backgrounds.ts';
import { BLACK, type Color, LINK, looksAlike, readColor, readLegacyColor, WHITE } from './colors.ts';
import { type Declarations, readDeclarations } from './css/declarations.ts';
import { SMALLER, sideOf, toPixels } from './css/lengths.ts';
import type { StyledElement } from './css/selectors.ts';
import { PREFORMATTED } from './elements.ts';
import type { Attributes } from './nesting.ts';

/** The properties that an element passes on to its content, and its separation from other text. */
export interface Look extends Backdrop {
  /** Whether it is not displayed; no descendant can override that. */
  hidden: boolean;
  /** `visibility`, which a descendant can override. */
  invisible: boolean;
  fontSize: number;
  /** Null for an unknown colour. */
  color: Color | null;
  preformatted: boolean;
  /** Set where the style overrides the element's default flow. */
  display: 'block' | 'inline' | 'inline-block' | null;
  /** Whether it has no margin above and below. */
  isTight: boolean;
}

export const INITIAL_LOOK: Look = {
  hidden: false,
  invisible: false,
  fontSize: 16,
  color: BLACK,
  background: WHITE,
  canvas: WHITE,
  preformatted: false,
  display: null,
  isTight: false,
};

/** Minimum font size in pixels of readable text. */
const READABLE_PX = 3;
/** Distance from the page's edge in pixels that counts as off-screen. */
const OFF_SCREEN_PX = 400;
const MAX_CACHED = 500;
/** More than an attribute holds. */
const MAX_CLASSES = 5000;

type Get = (property: string) => string | undefined;

const INHERITED = /^(?:inherit|unset|revert|revert-layer|currentcolor)$/;
const FONT_SIZE = /(?:^|\s)([\d.]+(?:px|pt|em|rem|%|vw)|0)(?=\s|\/|$)/;
const NAMED_SIZE = /^(?:xx?-(?:small|large)|small|medium|large|smaller|larger|xxx-large)$/;
/** Sizes of elements as a part of their parent's. */
const OWN_SIZES: ReadonlyMap<string, number> = new Map([
  ...['small', 'sub', 'sup', 'h5'].map((name): [string, number] => [name, SMALLER]),
  ['h6', 2 / 3],
  ['rt', 1 / 2],
]);
const SHIFT = /translate(?:x|y|3d)?\(([^)]{0,100})\)/;
const NO_SCALE = /scale(?:x|y|3d)?\(\s*0?\.?0*\s*[,)]/;
const CLIPPED =
  /^(?:rect\(\s*(?:0|1)(?:px)?[\s,]+(?:0|1)(?:px)?[\s,]+(?:0|1)(?:px)?[\s,]+(?:0|1)(?:px)?\s*\)|inset\(\s*(?:[5-9]\d|100)%|circle\(\s*0|polygon\(\s*0 0\s*\))/;

/** Returns the value of a property over several blocks: the last one, an important one before all others. */
const declaredValue = (blocks: readonly Declarations[], name: string): string | undefined => {
  let found: string | undefined;
  let important = false;
  for (const block of blocks) {
    const declared = block.get(name);
    if (!declared || (important && !declared.important)) continue;
    found = declared.value;
    important = declared.important;
  }
  return found;
};

const isTiny = (value: string | undefined): boolean => {
  const pixels = value === undefined ? null : toPixels(value, 16);
  return pixels !== null && pixels >= 0 && pixels <= 1;
};

const isFar = (value: string | undefined): boolean => {
  const pixels = value === undefined ? null : toPixels(value, 1000);
  return pixels !== null && Math.abs(pixels) >= OFF_SCREEN_PX && (pixels < 0 || pixels >= 10 * OFF_SCREEN_PX);
};

const isOffScreen = (get: Get): boolean => {
  const position = get('position');
  const isPlaced = position === 'absolute' || position === 'fixed' || position === 'relative';
  if (isPlaced && ['left', 'top', 'right', 'bottom'].some((side) => isFar(get(side)))) return true;
  if (isPlaced && CLIPPED.test(get('clip') ?? '')) return true;
  if (CLIPPED.test(get('clip-path') ?? '')) return true;
  if (['text-indent', 'margin-left', 'margin-top'].some((name) => get(name)?.startsWith('-') && isFar(get(name)))) {
    return true;
  }
  const transform = get('transform') ?? '';
  const shift = SHIFT.exec(transform)?.[1];
  return NO_SCALE.test(transform) || (shift?.split(',').some((part) => isFar(part.trim())) ?? false);
};

const isCut = (get: Get): boolean =>
  /hidden|clip|auto|scroll/.test(`${get('overflow') ?? ''} ${get('overflow-x') ?? ''} ${get('overflow-y') ?? ''}`);

const isGone = (get: Get): boolean => {
  if (get('display') === 'none') return true;
  const opacity = get('opacity');
  if (opacity !== undefined && Number.parseFloat(opacity) * (opacity.endsWith('%') ? 0.01 : 1) <= 0.05) return true;
  if (/opacity\(\s*(?:0|0?\.0\d*)%?\s*\)/.test(get('filter') ?? '')) return true;
  if (get('content-visibility') === 'hidden') return true;
  if (isTiny(get('max-height'))) return true;
  return (isCut(get) && ['height', 'width', 'max-width'].some((name) => isTiny(get(name)))) || isOffScreen(get);
};

const readFontSize = (size: string | undefined, parent: number): number => {
  if (size === undefined) return parent;
  if (size === 'smaller') return parent * SMALLER;
  return NAMED_SIZE.test(size) ? 16 : (toPixels(size, parent) ?? parent);
};

/** Undefined where none is set; null where the value is unknown. */
const readOwnColor = (value: string | undefined): Color | null | undefined => {
  if (value === undefined || INHERITED.test(value)) return undefined;
  return value === 'initial' ? BLACK : readColor(value);
};

const isTight = (get: Get): boolean => {
  const sides = (get('margin') ?? '').split(/\s+/, 4);
  return [get('margin-top') ?? sideOf(sides, 0), get('margin-bottom') ?? sideOf(sides, 2)].every(
    (side) => side !== undefined && toPixels(side, 16) === 0,
  );
};

const readDisplay = (value: string | undefined): Look['display'] => {
  if (value === undefined) return null;
  if (/^inline-|^table-cell$/.test(value)) return 'inline-block';
  if (value === 'inline' || value === 'contents') return 'inline';
  return /^(?:block|table|flex|grid|list-item|flow-root|table-row)$/.test(value) ? 'block' : null;
};

export const isTextSeen = ({ hidden, invisible, fontSize, color, background }: Look): boolean => {
  if (hidden || invisible || fontSize < READABLE_PX) return false;
  if (color === null) return true;
  if (color.alpha < 0.1) return false;
  return background === null || !looksAlike(color, background);
};

/** The effect of an element's styles, independent of its ancestors. */
interface Effect {
  isGone: boolean;
  isDisplayed: boolean;
  visibility: string | undefined;
  fontSize: string | undefined;
  color: Color | null | undefined;
  /** Whether it inherits the surrounding colour explicitly; a link by default does not. */
  inheritsColor: boolean;
  background: Background;
  whiteSpace: string | undefined;
  display: Look['display'];
  isTight: boolean;
}

const readEffect = (blocks: readonly Declarations[]): Effect => {
  const get: Get = (property) => declaredValue(blocks, property);
  const color = get('-webkit-text-fill-color') ?? get('color');
  return {
    isGone: isGone(get),
    isDisplayed: get('display') !== undefined,
    visibility: get('visibility'),
    fontSize: get('font-size') ?? FONT_SIZE.exec(get('font') ?? '')?.[1],
    color: readOwnColor(color),
    inheritsColor: color !== undefined && INHERITED.test(color),
    background: readBackground(blocks),
    whiteSpace: get('white-space'),
    display: readDisplay(get('display')),
    isTight: isTight(get),
  };
};

const NO_EFFECT = readEffect([]);

/** Attributes that affect the look; without them and without rules an element has its parent's look. */
const LOOKING = ['style', 'hidden', 'bgcolor', 'background', 'color', 'text'] as const;

/** @returns a function that computes an element's look from its parent's and the rules for it, in ascending precedence */
export const createLooks = () => {
  /** By style attribute: a mail repeats a few of them on every cell. */
  const cache = new Map<string, { declarations: Declarations; effect: Effect }>();
  const readInline = (style: string) => {
    const known = cache.get(style);
    if (known) return known;
    const declarations = readDeclarations(style);
    const read = { declarations, effect: readEffect([declarations]) };
    if (cache.size < MAX_CACHED) cache.set(style, read);
    return read;
  };
  const effectOn = (rules: readonly Declarations[], style: string | undefined): Effect => {
    const inline = style === undefined ? null : readInline(style);
    if (rules.length === 0) return inline?.effect ?? NO_EFFECT;
    return readEffect(inline ? [...rules, inline.declarations] : rules);
  };

  return (element: StyledElement, rules: readonly Declarations[], parent: Look): Look => {
    const { name, attributes } = element;
    const isLink = name === 'a' && attributes.has('href');
    const preformatted = parent.preformatted || PREFORMATTED.has(name);
    const ownSize = OWN_SIZES.get(name);
    const isPlain =
      rules.length === 0 && ownSize === undefined && !LOOKING.some((attribute) => attributes.has(attribute));
    if (isPlain && !isLink && preformatted === parent.preformatted && parent.display === null && !parent.isTight)
      return parent;

    const effect = effectOn(rules, attributes.get('style'));
    const { visibility, whiteSpace } = effect;
    const written = name === 'body' ? attributes.get('text') : name === 'font' ? attributes.get('color') : undefined;
    const color = effect.color === undefined && !effect.inheritsColor ? readLegacyColor(written) : effect.color;
    const isWrapped = whiteSpace === undefined || whiteSpace === 'inherit';
    return {
      hidden: parent.hidden || effect.isGone || (attributes.has('hidden') && !effect.isDisplayed),
      invisible: visibility === undefined || visibility === 'inherit' ? parent.invisible : visibility !== 'visible',
      fontSize: readFontSize(effect.fontSize, parent.fontSize * (effect.fontSize === undefined ? (ownSize ?? 1) : 1)),
      color: color === undefined ? (isLink && !effect.inheritsColor ? LINK : parent.color) : color,
      ...backdropOf(effect.background, name, attributes, parent),
      preformatted: isWrapped ? preformatted : /^(?:pre|break-spaces)/.test(whiteSpace),
      display: effect.display,
      isTight: effect.isTight,
    };
  };
};

/** Builds the members that selectors match. */
export const styledElement = (name: string, attributes: Attributes): StyledElement => ({
  name,
  attributes,
  classes: attributes.get('class')?.split(/[\t\n\f\r ]+/, MAX_CLASSES) ?? [],
});
