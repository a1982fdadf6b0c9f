/** TEXT values (RFC 6350 section 3.4): escapes, lists and components. */

/** Parts that are read; N has five and ADR seven. */
const MAX_PARTS = 20;

/** Splits at a separator that no backslash precedes, into {@link MAX_PARTS} at most; the parts keep their escapes. */
export const splitEscaped = (text: string, separator: ',' | ';'): string[] => {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length && parts.length < MAX_PARTS; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === separator) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)].slice(0, MAX_PARTS);
};

export const escapeText = (text: string): string => text.replace(/[\\,;]/g, '\\$&').replaceAll('\n', '\\n');
