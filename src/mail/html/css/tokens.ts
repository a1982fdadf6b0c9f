/** Splits CSS outside of its strings, addresses, brackets and comments (CSS Syntax sections 4 and 5). Linear. */

const CLOSERS: Readonly<Record<string, string>> = { '{': '}', '(': ')', '[': ']' };
const URL_START = /url\(\s{0,100}(?!["'\s])/iy;

/** Returns the offset after the string, the unquoted address, the escape or the character at `at`. */
const tokenEnd = (css: string, at: number): number => {
  const character = css.charAt(at);
  if (character === '\\') return at + 2;
  if (character === 'u' || character === 'U') {
    URL_START.lastIndex = at;
    if (!URL_START.test(css)) return at + 1;
    for (let end = URL_START.lastIndex; end < css.length; end += css.charAt(end) === '\\' ? 2 : 1) {
      if (css.charAt(end) === ')') return end + 1;
    }
    return css.length;
  }
  if (character !== '"' && character !== "'") return at + 1;
  // A line end ends a string as well.
  for (let end = at + 1; end < css.length; end += css.charAt(end) === '\\' ? 2 : 1) {
    const next = css.charAt(end);
    if (next === '\n' || next === '\r' || next === '\f') return end;
    if (next === character) return end + 1;
  }
  return css.length;
};

/** Removes CSS comments; an unterminated one extends to the end. */
export const withoutComments = (css: string): string => {
  if (!css.includes('/*')) return css;
  let kept = '';
  let start = 0;
  for (let at = 0; at < css.length; ) {
    if (css.startsWith('/*', at)) {
      kept += `${css.slice(start, at)} `;
      const end = css.indexOf('*/', at + 2);
      if (end < 0) return kept;
      at = end + 2;
      start = at;
    } else at = tokenEnd(css, at);
  }
  return kept + css.slice(start);
};

/** Splits at each `separator` outside of strings and brackets, because `url(data:…;base64,…)` contains some. */
export const splitOutside = (css: string, separator: ';' | ',', max: number): string[] => {
  const parts: string[] = [];
  const closers: string[] = [];
  let start = 0;
  for (let at = 0; at < css.length && parts.length < max; ) {
    const character = css.charAt(at);
    if (character === separator && closers.length === 0) {
      parts.push(css.slice(start, at));
      start = at + 1;
    } else if (character === closers.at(-1)) closers.pop();
    else if (CLOSERS[character]) closers.push(CLOSERS[character]);
    at = tokenEnd(css, at);
  }
  parts.push(css.slice(start));
  return parts;
};

/** A rule with its block, or, with the body null, what ends at a semicolon. */
export interface CssItem {
  prelude: string;
  body: string | null;
}

/**
 * Splits a style sheet, or the content of a block, into its rules and statements.
 * @param isSheet whether a semicolon ends at-rules alone, as outside of blocks
 */
export const splitRules = (css: string, isSheet: boolean): CssItem[] => {
  const items: CssItem[] = [];
  const closers: string[] = [];
  let start = 0;
  let open = -1;
  for (let at = 0; at < css.length; ) {
    const character = css.charAt(at);
    if (character === closers.at(-1)) {
      closers.pop();
      if (character === '}' && closers.length === 0) {
        items.push({ prelude: css.slice(start, open).trim(), body: css.slice(open + 1, at) });
        start = at + 1;
        open = -1;
      }
    } else if (CLOSERS[character]) {
      if (character === '{' && closers.length === 0) open = at;
      closers.push(CLOSERS[character]);
    } else if (character === ';' && closers.length === 0) {
      const prelude = css.slice(start, at).trim();
      if (!isSheet || prelude.startsWith('@')) {
        items.push({ prelude, body: null });
        start = at + 1;
      }
    }
    at = tokenEnd(css, at);
  }
  const rest = css.slice(start, open < 0 ? css.length : open).trim();
  if (rest !== '') items.push({ prelude: rest, body: open < 0 ? null : css.slice(open + 1) });
  return items;
};
