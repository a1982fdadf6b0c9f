/** Extracts files that are uuencoded in a text (POSIX uuencode), as older programs attach them. */

const MAX_FILES = 50;
const BEGIN = /^begin [0-7]{3,4} (\S.{0,250})\n/gm;
const MAX_LINE_OCTETS = 45;

export interface UuFile {
  filename: string;
  content: Buffer;
}

/** Decodes one line; null where it is not valid uuencode. */
const decodeLine = (line: string): Buffer | null => {
  const octets = (line.charCodeAt(0) - 32) & 63;
  // Transport removes trailing blanks, so a line may be shorter than its octets require.
  if (octets === 0 || octets > MAX_LINE_OCTETS || line.length > 1 + 4 * Math.ceil(octets / 3) + 2) return null;
  const value = (at: number): number => (at < line.length ? (line.charCodeAt(at) - 32) & 63 : 0);
  const decoded = Buffer.alloc(octets + 2);
  for (let octet = 0, at = 1; octet < octets; octet += 3, at += 4) {
    const group = (value(at) << 18) | (value(at + 1) << 12) | (value(at + 2) << 6) | value(at + 3);
    decoded.writeUIntBE(group, octet, 3);
  }
  return decoded.subarray(0, octets);
};

/** Decodes one file from the line after `begin`; null where a line is invalid or `end` is missing. */
const readFile = (text: string, start: number): { content: Buffer; end: number } | null => {
  const lines: Buffer[] = [];
  for (let at = start; at < text.length; ) {
    const lineEnd = text.indexOf('\n', at);
    const stop = lineEnd < 0 ? text.length : lineEnd;
    const line = text.slice(at, stop).replace(/\r$/, '');
    if (line === 'end') return { content: Buffer.concat(lines), end: stop + 1 };
    const isLast = line === '' || line === '`' || line === ' ';
    const decoded = isLast ? Buffer.alloc(0) : decodeLine(line);
    if (!decoded) return null;
    lines.push(decoded);
    at = stop + 1;
  }
  return null;
};

/** @returns the text without such files, and the files */
export const takeUuencoded = (text: string): { text: string; files: UuFile[] } => {
  const files: UuFile[] = [];
  if (!text.includes('\nend')) return { text, files };
  let rest = '';
  let at = 0;
  BEGIN.lastIndex = 0;
  for (let begin = BEGIN.exec(text); begin && files.length < MAX_FILES; begin = BEGIN.exec(text)) {
    const read = readFile(text, BEGIN.lastIndex);
    if (!read) continue;
    files.push({ filename: (begin[1] ?? '').trim(), content: read.content });
    rest += text.slice(at, begin.index);
    at = read.end;
    BEGIN.lastIndex = at;
  }
  return { text: files.length === 0 ? text : rest + text.slice(at), files };
};
