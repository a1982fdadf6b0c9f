/** Detects address list entries with a second address beside the one in angle brackets (RFC 5322 section 3.4). */

const ANGLES = /<[^<>]*>/g;

/**
 * Removes quoted strings and comments. A quoted string becomes a letter, so that `"a b"@x` remains an address. One
 * pass: a field may be long. An unterminated quote or comment counts as text, because parsers disagree on where it
 * ends.
 */
const readSyntax = (value: string): string => {
  let syntax = '';
  let quoteAt = -1;
  let commentAt = -1;
  let depth = 0;
  for (let index = 0; index < value.length; index += 1) {
    const char = value[index] ?? '';
    const isText = quoteAt < 0 && depth === 0;
    if (char === '\\' && !isText) index += 1;
    else if (quoteAt >= 0) {
      if (char === '"') quoteAt = -1;
    } else if (char === '(') {
      if (depth === 0) commentAt = index;
      depth += 1;
    } else if (depth > 0) {
      if (char === ')') depth -= 1;
    } else if (char === '"') {
      quoteAt = index;
      syntax += 'q';
    } else syntax += char;
  }
  if (quoteAt >= 0) return syntax + value.slice(quoteAt + 1);
  return depth > 0 ? syntax + value.slice(commentAt + 1) : syntax;
};

const namesSecond = (entry: string): boolean => {
  const end = entry.lastIndexOf('>');
  return (entry.match(/<[^<>]*@/g) ?? []).length > 1 || (end >= 0 && entry.includes('@', end));
};

/**
 * Whether an entry has more than one address in angle brackets, or an address after them. Mail programs differ in which
 * of the two they display, so the verified address could differ from the displayed one. An address before the brackets
 * is a display name: many programs write it there unquoted.
 */
export const hasSecondAddress = (value: string): boolean => {
  const syntax = readSyntax(value);
  if (!syntax.includes('<')) return false;
  // The commas of a source route within the brackets (section 4.4) end no entry.
  const marked = syntax.replace(ANGLES, (angle) => angle.replace(/[,;]/g, ' '));
  return marked.split(/[,;]/).some(namesSecond);
};
