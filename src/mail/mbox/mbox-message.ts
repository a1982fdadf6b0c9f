/**
 * One message as an mbox has it (RFC 4155, quoted as mboxrd): its From_ line, its octets as they are, one LF. So a message
 * that ends with a line end is followed by an empty line, and one that does not is restored without one.
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
  // Of programs that count, some quote as well: one that left a line as it was has quoted none.
  isCounted && hasFromLine(quoted) ? quoted : unquoteFromLines(quoted);
