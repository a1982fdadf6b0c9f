/** Joins format=flowed text: a line that ends in a blank continues on the next line of the same quote depth (RFC 3676). */

export interface Flow {
  /** Whether the blank that ends a flowed line is removed (DelSp=yes). */
  delSp: boolean;
}

const SIGNATURE = '-- ';
const QUOTE = /^(?:> ?(?=>))*>?/;

const marks = (depth: number): string => (depth === 0 ? '' : `${'>'.repeat(depth)} `);

/** @param text with bare LF @returns quoted lines as `>> text`, one quote prefix per joined line */
export const unflow = (text: string, { delSp }: Flow): string => {
  const lines: string[] = [];
  let depth = 0;
  let parts: string[] = [];
  const end = (): void => {
    if (parts.length > 0) lines.push(`${marks(depth)}${parts.join('')}`.trimEnd());
    parts = [];
  };
  for (const line of text.split('\n')) {
    // Programs without support for the format quote with `> > `, which counts as `>> `.
    const quote = QUOTE.exec(line)?.[0] ?? '';
    const quotes = quote.replaceAll(' ', '').length;
    // Space-stuffing (section 4.4): a blank precedes a line with an ambiguous start.
    const stuffed = line.slice(quote.length);
    const content = stuffed.startsWith(' ') ? stuffed.slice(1) : stuffed;
    // A change of quote depth ends a paragraph, even after a flowed line (section 4.5).
    if (quotes !== depth || content === SIGNATURE) end();
    depth = quotes;
    if (content === SIGNATURE) {
      lines.push(`${marks(depth)}${SIGNATURE}`);
      continue;
    }
    const isFlowed = content.endsWith(' ');
    parts.push(isFlowed && delSp ? content.slice(0, -1) : content);
    if (!isFlowed) end();
  }
  end();
  return lines.join('\n');
};
