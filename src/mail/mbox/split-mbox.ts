/**
 * Finds the messages of an mbox (RFC 4155), with no more of it in memory than a window. It splits mboxo and mboxrd by
 * their From_ lines, mboxcl and mboxcl2 by their Content-Length fields.
 */

import type { Millis } from '../../kernel/clock.ts';
import type { ByteSource } from './byte-source.ts';
import { readFromLine } from './from-line.ts';

export interface MboxEntry {
  /** The offset of its From_ line. */
  offset: number;
  /** Its octets, quoted, without the line end that ends it in the file. */
  start: number;
  end: number;
  /** The time in its From_ line. */
  at: Millis | null;
  /** Whether Content-Length gives its end, so that its lines may be unquoted. */
  isCounted: boolean;
}

const LF = 0x0a;
const CR = 0x0d;
/** Octets looked through at a time. */
const WINDOW = 64 * 1024;
/** A longer line is no From_ line. */
const MAX_FROM_LINE = 1_000;
/** Octets of a header in which Content-Length is looked for. */
const HEADER_WINDOW = 64 * 1024;
const LINE_FROM = '\nFrom ';

interface Separator {
  offset: number;
  /** Behind its line end. */
  end: number;
  at: Millis | null;
  isExact: boolean;
  hasCr: boolean;
}

/** @param isFirst of the file: then any line that begins with `From ` is one */
const readSeparator = (source: ByteSource, offset: number, isFirst: boolean): Separator | null => {
  const octets = source.read(offset, MAX_FROM_LINE);
  const lineEnd = octets.indexOf(LF);
  if (lineEnd < 0 && offset + octets.length < source.size) return null;
  const length = lineEnd < 0 ? octets.length : lineEnd;
  const hasCr = octets[length - 1] === CR;
  const line = octets.toString('latin1', 0, hasCr ? length - 1 : length);
  if (!line.startsWith('From ')) return null;
  const found = readFromLine(line) ?? (isFirst ? { at: null, isExact: false } : null);
  return found && { offset, end: offset + (lineEnd < 0 ? length : lineEnd + 1), hasCr, ...found };
};

const isBehindEmptyLine = (source: ByteSource, offset: number): boolean => {
  const before = source.read(Math.max(offset - 3, 0), Math.min(offset, 3));
  const octet = (back: number) => before[before.length - back];
  return octet(2) === LF || (octet(2) === CR && octet(3) === LF);
};

/** The offset of the next line that begins with `From `, from the line end before it on; -1 without one. */
const findFrom = (source: ByteSource, from: number): number => {
  const step = WINDOW - LINE_FROM.length + 1;
  for (let at = from; at < source.size; at += step) {
    const found = source.read(at, WINDOW).indexOf(LINE_FROM);
    if (found >= 0) return at + found + 1;
  }
  return -1;
};

const findSeparator = (source: ByteSource, start: number): Separator | null => {
  for (let at = findFrom(source, start - 1); at >= 0; at = findFrom(source, at)) {
    const separator = readSeparator(source, at, false);
    // Another program's line counts behind an empty line alone: text may look like it.
    if (separator && (separator.isExact || at === start || isBehindEmptyLine(source, at))) return separator;
  }
  return null;
};

const BLANK = /\r?\n\r?\n/;
const COUNT = /^content-length:[ \t]*(\d{1,15})[ \t]*\r?$/im;

interface CountedEnd {
  end: number;
  next: Separator | null;
}

/** The end that Content-Length gives; null without the field, or where no message ends there. */
const findCountedEnd = (source: ByteSource, start: number): CountedEnd | null => {
  const head = source.read(start, HEADER_WINDOW).toString('latin1');
  const blank = BLANK.exec(head);
  const header = head.slice(0, blank ? blank.index + 1 : 0);
  const count = COUNT.exec(header);
  // A message without an empty line has no header of its own: the next one's is no part of it.
  if (!blank || !count || /^From /m.test(header)) return null;
  const end = start + blank.index + blank[0].length + Number(count[1]);
  if (end > source.size) return null;
  const tail = source.read(end, 2);
  const lineEnd = tail[0] === LF ? 1 : tail[0] === CR && tail[1] === LF ? 2 : 0;
  if (end + lineEnd === source.size)
    return lineEnd > 0 || source.read(end - 1, 1)[0] !== LF ? { end, next: null } : null;
  const next = lineEnd > 0 ? readSeparator(source, end + lineEnd, false) : null;
  return next && { end, next };
};

/** Without the one line end that ends a message in the file: LF, or CRLF where the From_ line has that. */
const withoutLineEnd = (source: ByteSource, start: number, end: number, hasCr: boolean): number => {
  const last = source.read(Math.max(start, end - 2), Math.min(2, end - start));
  if (last.at(-1) !== LF) return end;
  return end - (hasCr && last.length === 2 && last[0] === CR ? 2 : 1);
};

/** @yields the messages in their order; nothing where the file does not begin with a From_ line */
export function* splitMbox(source: ByteSource): Generator<MboxEntry> {
  let separator = readSeparator(source, 0, true);
  // A sender may add a wrong field: it counts only where all messages before have one, because programs write it in
  // each.
  let mayCount = true;
  while (separator) {
    const { offset, end: start, at, hasCr } = separator;
    const counted: CountedEnd | null = mayCount ? findCountedEnd(source, start) : null;
    mayCount = counted !== null;
    const next: Separator | null = counted ? counted.next : findSeparator(source, start);
    const end = counted ? counted.end : withoutLineEnd(source, start, next?.offset ?? source.size, hasCr);
    yield { offset, start, end, at, isCounted: mayCount };
    separator = next;
  }
}
