/** The delimiter of a CSV text: comma, semicolon, tab or vertical bar. */

const DELIMITERS = [',', ';', '\t', '|'] as const;
/** Characters and records that it is told from. */
const SAMPLE = 64 * 1024;
const MAX_RECORDS = 20;

/** Excel's own line that names the delimiter. */
const DIRECTIVE = /^sep=([,;\t|])\r?\n/i;

/** How often each delimiter stands in each of the first records, outside quotes. */
const countDelimiters = (text: string): number[][] => {
  const end = Math.min(text.length, SAMPLE);
  const records: number[][] = [];
  let counts = DELIMITERS.map(() => 0);
  let isQuoted = false;
  let hasText = false;
  for (let at = 0; at < end && records.length < MAX_RECORDS; at += 1) {
    const character = text[at] as string;
    if (character === '"') isQuoted = !isQuoted;
    if (!isQuoted && (character === '\n' || character === '\r')) {
      if (hasText) records.push(counts);
      counts = DELIMITERS.map(() => 0);
      hasText = false;
      continue;
    }
    hasText = true;
    const index = isQuoted ? -1 : DELIMITERS.indexOf(character as ',');
    if (index >= 0) counts[index] = (counts[index] ?? 0) + 1;
  }
  return hasText ? [...records, counts] : records;
};

export interface Delimited {
  /** Without a line that names the delimiter. */
  text: string;
  delimiter: string;
}

/** The delimiter that most records have as often as the first; among equals the more frequent. A comma where none has any. */
export const findDelimiter = (text: string): Delimited => {
  const named = DIRECTIVE.exec(text);
  if (named) return { text: text.slice(named[0].length), delimiter: named[1] ?? ',' };
  const records = countDelimiters(text);
  const [first = []] = records;
  const scores = DELIMITERS.map((delimiter, index) => {
    const count = first[index] ?? 0;
    return { delimiter, count, agreeing: count === 0 ? 0 : records.filter((counts) => counts[index] === count).length };
  });
  const [best] = scores.toSorted((one, other) => other.agreeing - one.agreeing || other.count - one.count);
  return { text, delimiter: best && best.agreeing > 0 ? best.delimiter : ',' };
};
