/**
 * The content lines of vCards, unfolded (RFC 6350 section 3.2), with the soft line breaks of quoted-printable in 2.1 joined.
 * Text is one character per octet: charsets are declared per line, and older writers fold within a character.
 */

/** Octets of one content line. Ten thousand characters of any script fit in quoted-printable; photographs are skipped, not read. */
const MAX_LINE_OCTETS = 128 * 1024;

const CR = 0x0d;
const LF = 0x0a;
const QUOTED_PRINTABLE = /^[^:]{0,2000}quoted-printable/i;
export const BOUNDARY = /^(?:begin|end):vcard\s*$/i;

const isBlank = (character: string | undefined): boolean => character === ' ' || character === '\t';

const isLineEnd = (code: number): boolean => code === LF || code === CR;

export interface ContentLines {
  /** Null at the end. A line beyond {@link MAX_LINE_OCTETS} is cut there. */
  next(): { text: string; isCut: boolean } | null;
  /** vCard 2.1 unfolds without removing the blank that follows the line break. */
  keepsFoldBlank: boolean;
}

/** Reads content lines with any line ends, CR alone included. */
export const readContentLines = (octets: string): ContentLines => {
  const text = octets.includes('\n') ? octets : octets.replaceAll('\r', '\n');
  let position = 0;

  const endOfLine = (): number => {
    const lf = text.indexOf('\n', position);
    return lf < 0 ? text.length : lf;
  };
  const takeLine = (): string => {
    const end = endOfLine();
    let trimmed = end;
    while (trimmed > position && text.charCodeAt(trimmed - 1) === CR) trimmed -= 1;
    const line = text.slice(position, trimmed);
    position = end + 1;
    return line;
  };
  /** Whether the next line is a boundary, which ends an unfinished quoted-printable value. */
  const isBoundaryNext = (): boolean => BOUNDARY.test(text.slice(position, Math.min(endOfLine(), position + 40)));

  const lines: ContentLines = {
    keepsFoldBlank: false,
    next: () => {
      while (isLineEnd(text.charCodeAt(position))) position += 1;
      if (position >= text.length) return null;
      const parts = [takeLine()];
      let length = parts[0]?.length ?? 0;
      const add = (part: string): void => {
        // Skips content beyond the bound, so that memory and time stay in proportion to the text.
        if (length <= MAX_LINE_OCTETS) parts.push(part);
        length += part.length;
      };
      while (position < text.length && isBlank(text[position])) add(takeLine().slice(lines.keepsFoldBlank ? 0 : 1));
      let last = parts.length - 1;
      if (parts.at(-1)?.endsWith('=') && QUOTED_PRINTABLE.test(parts.join('').slice(0, 2_100))) {
        while (position < text.length && parts[last]?.endsWith('=') && !isBoundaryNext()) {
          parts[last] = parts[last]?.slice(0, -1) ?? '';
          add(takeLine());
          last = parts.length - 1;
        }
      }
      const isCut = length > MAX_LINE_OCTETS;
      return { text: parts.join(''), isCut };
    },
  };
  return lines;
};
