/** Parses CSS declarations of `style` attributes and rules in one pass; malformed ones are skipped. */

import { splitOutside, withoutComments } from './tokens.ts';

export interface Declaration {
  /** In lower case, trimmed. */
  value: string;
  important: boolean;
}

export type Declarations = ReadonlyMap<string, Declaration>;

/** Characters parsed of one block: a style attribute has some hundreds. */
const MAX_BLOCK = 8 * 1024;
const MAX_DECLARATIONS = 100;
/** Characters of a value: its start is decisive, and the patterns that match it are not linear. */
const MAX_VALUE = 300;

const IMPORTANT = /\s{0,8}!\s{0,8}important$/;
const ESCAPE = /\\(?:([0-9a-f]{1,6})\s?|([^0-9a-f\n]))/gi;

/** Decodes CSS escapes: `\64 isplay` is `display` (CSS Syntax section 4.3.7). */
const withoutEscapes = (css: string): string =>
  css.includes('\\')
    ? css.replace(ESCAPE, (_, hex: string | undefined, character: string | undefined) => {
        const code = hex === undefined ? 0 : Number.parseInt(hex, 16);
        return hex === undefined ? (character ?? '') : String.fromCodePoint(code > 0x10ffff ? 0xfffd : code);
      })
    : css;

/** Trims the blanks of CSS alone: a browser drops a value with others. */
const trimCss = (css: string): string => css.replace(/^[\t\n\f\r ]+/, '').replace(/(?<![\t\n\f\r ])[\t\n\f\r ]+$/, '');

const GLOBAL = 'inherit|initial|unset|revert|revert-layer';
const NUMBER = '[+-]?(?:\\d{1,20}(?:\\.\\d{0,20})?|\\.\\d{1,20})(?:e[+-]?\\d{1,4})?';
const UNIT = 'px|pt|pc|in|cm|mm|q|r?em|r?ex|r?ch|r?ic|r?cap|r?lh|[sld]?v(?:w|h|i|b|min|max)|cq(?:w|h|i|b|min|max)|%';
const anyOf = (values: string): RegExp => new RegExp(`^(?:${values}|${GLOBAL})$`);

const SIZE = anyOf(`${NUMBER}(?:${UNIT})?|auto|none|(?:min|max|fit)-content`);
/** Values of properties that hide text. Browsers drop a declaration with any other, and an earlier one stays valid. */
const VALID: ReadonlyMap<string, RegExp> = new Map([
  [
    'display',
    anyOf(
      'none|inline|block|contents|flow-root|list-item|flex|grid|(?:inline|table)(?:-[a-z]+){1,2}|table|-webkit-box',
    ),
  ],
  ['visibility', anyOf('visible|hidden|collapse')],
  ['opacity', anyOf(`${NUMBER}%?`)],
  ['font-size', anyOf(`${NUMBER}(?:${UNIT})|[+-]?0+|x{0,3}-?(?:small|large)(?:er)?|medium`)],
  ['position', anyOf('static|relative|absolute|fixed|sticky')],
  ['overflow', anyOf('[a-z]{1,20}(?: [a-z]{1,20})?')],
  ...'left top right bottom text-indent margin-left margin-top max-height max-width height width'
    .split(' ')
    .map((name): [string, RegExp] => [name, SIZE]),
]);

/** Functions with a result that cannot be known here. */
const COMPUTED = /(?:^|[^a-z-])(?:var|env|attr|if|calc|min|max|clamp|light-dark|[a-z]+-calc|round|mod|rem|abs)\(/;

const isValid = (name: string, value: string): boolean =>
  (VALID.get(name)?.test(value) ?? true) || COMPUTED.test(value);

/** @returns by property in lower case; of a repeated property the last counts, an important one before others */
export const readDeclarations = (block: string): Declarations => {
  const declarations = new Map<string, Declaration>();
  const parts = splitOutside(withoutComments(block.slice(0, MAX_BLOCK)), ';', MAX_DECLARATIONS);
  for (const part of parts) {
    const colon = part.indexOf(':');
    if (colon < 1) continue;
    const name = trimCss(withoutEscapes(part.slice(0, colon))).toLowerCase();
    const written = trimCss(withoutEscapes(trimCss(part.slice(colon + 1)))).toLowerCase();
    const important = IMPORTANT.test(written.slice(-32));
    if (written === '' || (!important && declarations.get(name)?.important)) continue;
    const value = important ? written.slice(0, written.lastIndexOf('!')).trimEnd() : written;
    if (!isValid(name, value)) continue;
    // Keeps the order of precedence: `background` and `background-color` each override the other.
    declarations.delete(name);
    declarations.set(name, { value: value.slice(0, MAX_VALUE), important });
  }
  return declarations;
};
