/** Text with format=flowed, put together again: lines that end in a blank go on in the next of the same quote (RFC 3676). */

export interface Flow {
  /** Whether the blank that ends a flowed line is no part of the text (DelSp=yes). */
  delSp: boolean;
}

const SIGNATURE = '-- ';
const QUOTE = /^(?:> ?(?=>))*>?/;

const marks = (depth: number): string => (depth === 0 ? '' : `${'>'.repeat(depth)} `);

/** @param text with bare LF @returns quoted lines as `>> text`, their marks once */
export const unflow = (text: string, { delSp }: Flow): string => {
  const lines: string[] = [];
  let depth = 0;
  let parts: string[] = [];
  const end = (): void => {
    if (parts.length > 0) lines.push(`${marks(depth)}${parts.join('')}`.trimEnd());
    parts = [];
  };
  for (const line of text.split('\n')) {
    // Programs that know nothing of the format quote with `> > `, which counts as `>> `.
    const quote = QUOTE.exec(line)?.[0] ?? '';
    const quotes = quote.replaceAll(' ', '').length;
    // Space-stuffing (section 4.4): one blank stands in front of lines that would mean something else.
    const stuffed = line.slice(quote.length);
    const content = stuffed.startsWith(' ') ? stuffed.slice(1) : stuffed;
    // A paragraph ends where the quote does, whatever its last line ends in (section 4.5).
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
