/**
 * The quoting of mboxrd: a line that begins with `From `, or with `>` signs before it, gets one more `>`. Removing one
 * restores every message.
 */

const FROM = Buffer.from('From ');
const QUOTE = Buffer.from('>');
const LF = 0x0a;

/** The start of the line that is `>*From ` up to `at`; -1 where other octets stand before. */
const lineStart = (bytes: Buffer, at: number): number => {
  let start = at;
  while (start > 0 && bytes[start - 1] === QUOTE[0]) start -= 1;
  return start === 0 || bytes[start - 1] === LF ? start : -1;
};

/** Calls back with each `>*From ` at the start of a line: where the line starts, and where `From ` does. */
const eachFrom = (bytes: Buffer, each: (start: number, from: number) => void): void => {
  for (let at = bytes.indexOf(FROM); at >= 0; at = bytes.indexOf(FROM, at + FROM.length)) {
    const start = lineStart(bytes, at);
    if (start >= 0) each(start, at);
  }
};

/** @returns the quoted message in pieces, most of which are views on it */
export const quoteFromLines = (message: Buffer): Buffer[] => {
  const pieces: Buffer[] = [];
  let kept = 0;
  eachFrom(message, (start) => {
    pieces.push(message.subarray(kept, start), QUOTE);
    kept = start;
  });
  pieces.push(message.subarray(kept));
  return pieces;
};

/** A line that begins with `From ` stays: some programs quote few of them or none. */
export const unquoteFromLines = (quoted: Buffer): Buffer => {
  const pieces: Buffer[] = [];
  let kept = 0;
  eachFrom(quoted, (start, from) => {
    if (start === from) return;
    pieces.push(quoted.subarray(kept, start));
    kept = start + 1;
  });
  return pieces.length === 0 ? quoted : Buffer.concat([...pieces, quoted.subarray(kept)]);
};

/** Whether a line begins with `From `: then nothing in the message was quoted. */
export const hasFromLine = (message: Buffer): boolean => {
  let found = false;
  eachFrom(message, (start, from) => {
    found ||= start === from;
  });
  return found;
};
