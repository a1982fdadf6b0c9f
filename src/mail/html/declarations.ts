/** Parses CSS declarations of `style` attributes and rules in one pass; malformed ones are skipped. */

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

/** Removes CSS comments; an unterminated one extends to the end. */
export const withoutComments = (css: string): string => {
  let kept = '';
  for (let at = 0; ; ) {
    const start = css.indexOf('/*', at);
    if (start < 0) return at === 0 ? css : kept + css.slice(at);
    kept += `${css.slice(at, start)} `;
    const end = css.indexOf('*/', start + 2);
    if (end < 0) return kept;
    at = end + 2;
  }
};

/** Decodes CSS escapes: `\64 isplay` is `display` (CSS Syntax section 4.3.7). */
const withoutEscapes = (css: string): string =>
  css.includes('\\')
    ? css.replace(ESCAPE, (_, hex: string | undefined, character: string | undefined) => {
        const code = hex === undefined ? 0 : Number.parseInt(hex, 16);
        return hex === undefined ? (character ?? '') : String.fromCodePoint(code > 0x10ffff ? 0xfffd : code);
      })
    : css;

/** Splits at semicolons outside of quotes and parentheses, because `url(data:…;base64,…)` contains some. */
const splitDeclarations = (block: string): string[] => {
  const parts: string[] = [];
  let start = 0;
  let quote = '';
  let depth = 0;
  for (let at = 0; at < block.length && parts.length < MAX_DECLARATIONS; at += 1) {
    const character = block.charAt(at);
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '(') depth += 1;
    else if (character === ')') depth = Math.max(0, depth - 1);
    else if (character === ';' && depth === 0) {
      parts.push(block.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(block.slice(start));
  return parts;
};

/** @returns by property in lower case; of a repeated property the last counts, an important one before others */
export const readDeclarations = (block: string): Declarations => {
  const declarations = new Map<string, Declaration>();
  for (const part of splitDeclarations(withoutEscapes(withoutComments(block.slice(0, MAX_BLOCK))))) {
    const colon = part.indexOf(':');
    if (colon < 1) continue;
    const name = part.slice(0, colon).trim().toLowerCase();
    const written = part
      .slice(colon + 1)
      .trim()
      .toLowerCase();
    const important = IMPORTANT.test(written.slice(-32));
    if (written === '' || (!important && declarations.get(name)?.important)) continue;
    const value = important ? written.slice(0, written.lastIndexOf('!')).trim() : written;
    // Keeps the order of precedence: `background` and `background-color` each override the other.
    declarations.delete(name);
    declarations.set(name, { value: value.slice(0, MAX_VALUE), important });
  }
  return declarations;
};

/** Converts a length to pixels; percentages and unitless numbers are relative to `base`. Null for an invalid length. */
export const toPixels = (value: string, base: number): number | null => {
  const match = /^([+-]?(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9}))(px|pt|pc|in|cm|mm|em|rem|ex|ch|vw|vh|%)?$/.exec(value);
  if (!match) return null;
  const number = Number(match[1]);
  switch (match[2]) {
    case 'pt':
      return (number * 4) / 3;
    case 'pc':
    case 'rem':
      return number * 16;
    case 'in':
      return number * 96;
    case 'cm':
      return number * 38;
    case 'mm':
      return number * 3.8;
    case 'em':
      return number * base;
    case 'ex':
    case 'ch':
      return (number * base) / 2;
    case 'vw':
    case 'vh':
      return number * 10;
    case '%':
      return (number / 100) * base;
    default:
      return number;
  }
};
