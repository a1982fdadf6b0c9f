/** Entries of an address list that give a second address beside the one in their angle brackets (RFC 5322 section 3.4). */

const ANGLES = /<[^<>]*>/g;

/**
 * Without what stands in quotes and comments. Quoted text becomes a letter, so that `"a b"@x` still is an address. Read in
 * one pass: a field may be long. What is opened and never closed is text: no two readers agree on where it would end.
 */
const syntaxOf = (value: string): string => {
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
 * Whether an entry has more than one address in angle brackets, or an address behind them. Readers differ in which of the
 * two they show, so that the one that was checked need not be the one that is seen. An address in front is a name: many
 * programs write it there without quotes.
 */
export const hasSecondAddress = (value: string): boolean => {
  const syntax = syntaxOf(value);
  if (!syntax.includes('<')) return false;
  // A route within the brackets has commas of its own (section 4.4): they end no entry.
  const marked = syntax.replace(ANGLES, (angle) => angle.replace(/[,;]/g, ' '));
  return marked.split(/[,;]/).some(namesSecond);
};
