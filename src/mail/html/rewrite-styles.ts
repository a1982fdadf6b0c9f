/** Rewrites the styles of sanitised HTML, so that visible text stays visible without style sheets and images. */

import { cleanHref } from './anchors.ts';
import { type Color, looksAlike, readableOn, standsOut, writeColor } from './colors.ts';
import { readDeclarations } from './css/declarations.ts';
import type { Attributes } from './nesting.ts';
import { createLooks, isTextSeen, type Look, styledElement } from './visibility.ts';

/**
 * Accepts values of colours, lengths and names. No `url(`, no `expression(`: nothing that loads or runs. No length by the
 * window's height: a frame that is as high as its mail would change with it, and the mail with the frame, without an end.
 */
export const PLAIN_VALUE =
  /^(?!.*(?:(?:url|expression|image|attr|var|env|element)\s*\(|[\d.][dls]?v(?:b|h|max|min)\b))[\w\s#.,%()'"+/-]{1,200}$/i;

export const STYLES: ReadonlySet<string> = new Set(
  'color background-color font font-family font-size font-style font-weight line-height text-align text-decoration text-indent text-transform letter-spacing white-space vertical-align padding padding-top padding-right padding-bottom padding-left width max-width min-width margin margin-top margin-right margin-bottom margin-left height max-height min-height border border-top border-right border-bottom border-left border-collapse border-color border-radius border-spacing border-style border-width display list-style-type table-layout'.split(
    ' ',
  ),
);

/** An absolute link. A relative one would resolve against the page that displays the mail. */
const ABSOLUTE = /^(?:https?:\/\/|mailto:|#)/i;

const SHORTHAND = /background\s{0,8}:/i;

/** Returns the address that a link keeps; null where it is removed. */
export const keptHref = (href: string): string | null => {
  const link = cleanHref(href);
  return ABSOLUTE.test(link) ? link : null;
};

/** An unterminated value would include the declarations after it. */
const isWhole = (value: string): boolean => {
  const count = (character: string): number => value.split(character).length - 1;
  return count('"') % 2 === 0 && count("'") % 2 === 0 && count('(') === count(')');
};

const keptStyles = (style: string): Map<string, string> => {
  const kept = new Map<string, string>();
  for (const [name, { value }] of readDeclarations(style)) {
    if (STYLES.has(name) && PLAIN_VALUE.test(value) && isWhole(value)) kept.set(name, value);
  }
  return kept;
};

const writeStyles = (styles: ReadonlyMap<string, string>): string =>
  [...styles].map(([name, value]) => `${name}:${value}`).join(';');

const isSame = (one: Color, other: Color | null): boolean => other !== null && writeColor(one) === writeColor(other);

/** Elements on which browsers apply `bgcolor`. */
const HEEDS_BGCOLOR = /^(?:table|thead|tbody|tfoot|tr|td|th)$/;

/** Returns the attributes that an element keeps, with the style `styles`. */
const keptAttributes = (
  name: string,
  attributes: Attributes,
  styles: ReadonlyMap<string, string>,
): Map<string, string> => {
  const kept = new Map(attributes);
  for (const lost of ['class', 'id', 'hidden', 'background', 'text', 'rel']) kept.delete(lost);
  if (!HEEDS_BGCOLOR.test(name)) kept.delete('bgcolor');
  if (name !== 'font') kept.delete('color');
  if (keptHref(kept.get('href') ?? '') === null) kept.delete('href');
  if (styles.size === 0) kept.delete('style');
  else kept.set('style', writeStyles(styles));
  return kept;
};

export interface Restyled {
  attributes: Attributes;
  /** The element's look with these attributes, without style sheets and images. */
  look: Look;
  /** Whether an element must be written for the look of its content, whatever its name is. */
  isNeeded: boolean;
}

/**
 * Style sheets, images and the body are not written. So colours and sizes that came from them are set on the element
 * itself, and a readable colour where a picture was behind the text.
 * @returns a function that computes attributes: of an element with the look `seen` as sent, in a parent with the look
 *   `parent` as written
 */
export const createStyleRewriter = () => {
  const computeLook = createLooks();

  return (name: string, attributes: Attributes, seen: Look, parent: Look): Restyled => {
    const styles = keptStyles(attributes.get('style') ?? '');
    const lookNow = (): Look => computeLook(styledElement(name, keptAttributes(name, attributes, styles)), [], parent);

    let look = lookNow();
    const isFixed = seen.background === null;
    // Written even where redundant here: the displaying page may have another background.
    if (!isSame(seen.canvas, look.background) || SHORTHAND.test(attributes.get('style') ?? '')) {
      styles.set('background-color', writeColor(seen.canvas));
    }
    const preferred = seen.color ?? look.color ?? readableOn(seen.canvas);
    const isRead = isFixed
      ? standsOut(preferred, seen.canvas)
      : seen.color !== null || !looksAlike(preferred, seen.canvas);
    const color = isRead ? preferred : readableOn(seen.canvas);
    if (color.alpha === 1 && !isSame(color, look.color)) styles.set('color', writeColor(color));

    look = lookNow();
    // Hidden by a style that the mail's style sheet overrides.
    if (look.hidden && !seen.hidden) {
      for (const style of styles.keys()) if (!/color|^font/.test(style)) styles.delete(style);
      look = lookNow();
    }
    if (isTextSeen(seen) && !isTextSeen(look)) {
      if (look.fontSize < seen.fontSize) styles.set('font-size', `${seen.fontSize}px`);
      look = lookNow();
      if (!isTextSeen(look)) styles.set('color', writeColor(readableOn(seen.canvas)));
      look = lookNow();
    }
    const isNeeded =
      look.color !== parent.color || look.background !== parent.background || look.fontSize !== parent.fontSize;
    return { attributes: keptAttributes(name, attributes, styles), look, isNeeded };
  };
};
