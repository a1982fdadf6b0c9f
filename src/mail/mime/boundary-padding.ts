/**
 * Removes blanks after boundary lines: RFC 2046 section 5.1.1 requires receivers to accept this "transport-padding",
 * and mailparser's splitter does not.
 */

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const DASH = 0x2d;
const LINE_OF_DASHES = Buffer.from('\n--');

const DECLARED = /boundary\s{0,8}=\s{0,8}(?:"([^"\r\n]{1,200})"|([^\s";]{1,200}))/gi;
/** Boundaries of one message, and boundary lines; PARSE_LIMITS allows no more parts. */
const MAX_BOUNDARIES = 1000;

const readBoundaries = (head: string, body: Buffer): Set<string> => {
  const names = new Set<string>();
  for (const text of [head, body.toString('latin1')]) {
    for (const match of text.matchAll(DECLARED)) {
      names.add((match[1] ?? match[2] ?? '').trimEnd());
      if (names.size >= MAX_BOUNDARIES) return names;
    }
  }
  return names;
};

const startsWithDashes = (body: Buffer): boolean => body[0] === DASH && body[1] === DASH;

/** Returns the offset of the next line after `at` that begins with two dashes; -1 without one. */
const nextLine = (body: Buffer, at: number): number => {
  const found = body.indexOf(LINE_OF_DASHES, at);
  return found < 0 ? -1 : found + 1;
};

/**
 * Trims the ends of boundary lines.
 * @param head the message's own MIME fields
 * @returns `body` itself where none is padded; no other line changes, so a signature's `-- ` stays
 */
export const trimBoundaries = (head: string, body: Buffer): Buffer => {
  let names: Set<string> | null = null;
  const kept: Buffer[] = [];
  let from = 0;
  for (
    let start = startsWithDashes(body) ? 0 : nextLine(body, 0);
    start >= 0 && kept.length < MAX_BOUNDARIES;
    start = nextLine(body, start)
  ) {
    const lineEnd = body.indexOf(LF, start);
    const stop = lineEnd < 0 ? body.length : lineEnd - (body[lineEnd - 1] === CR ? 1 : 0);
    let end = stop;
    while (end > start && (body[end - 1] === SPACE || body[end - 1] === TAB)) end -= 1;
    if (end === stop || end - start < 3) continue;
    names ??= readBoundaries(head, body);
    const name = body.toString('latin1', start + 2, end);
    if (!names.has(name) && !(name.endsWith('--') && names.has(name.slice(0, -2)))) continue;
    kept.push(body.subarray(from, end));
    from = stop;
  }
  return from === 0 ? body : Buffer.concat([...kept, body.subarray(from)]);
};
