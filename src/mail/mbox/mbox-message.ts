/**
 * One message of an mbox (RFC 4155, quoted as mboxrd): its From_ line, its octets, one LF. An empty line follows a
 * message with a final line end; a message without one is restored without it.
 */

import type { Millis } from '../../kernel/clock.ts';
import { formatFromLine } from './from-line.ts';
import { hasFromLine, quoteFromLines, unquoteFromLines } from './from-quoting.ts';
import type { MboxEntry } from './split-mbox.ts';

const LINE_END = Buffer.from('\n');

export const formatMboxMessage = (sender: string, at: Millis, message: Buffer): Buffer[] => [
  Buffer.from(formatFromLine(sender, at)),
  ...quoteFromLines(message),
  LINE_END,
];

/**
 * @param quoted the octets from {@link MboxEntry.start} to its end
 * @returns the message's octets
 */
export const readMboxMessage = (quoted: Buffer, { isCounted }: Pick<MboxEntry, 'isCounted'>): Buffer =>
  // Some programs that count also quote. One that left a `From ` line unquoted has quoted none.
  isCounted && hasFromLine(quoted) ? quoted : unquoteFromLines(quoted);
