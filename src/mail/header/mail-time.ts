/** Finds the time at which a mail in a file came to its mailbox. */

import type { Millis } from '../../kernel/clock.ts';
import { readFields, splitMessage } from './header-section.ts';
import { HEAD_LIMITS, readDate } from './message-header.ts';

/** A day and a month: Date.parse takes any number for a year. */
const DATE = /\d{1,2}\s+[A-Za-z]{3}\s+\d{2,4}/;

const dateIn = (text: string): Millis | null => (DATE.test(text) ? readDate(text.trim()) : null);

/**
 * The time of its topmost Received field, which its own host has written; else that of its From_ line; else its Date.
 * @param start the mail's first octets
 * @param fromLine null: it has none
 * @returns null where none has a time
 */
export const findMailTime = (start: Buffer, fromLine: Millis | null): Millis | null => {
  const { fields } = readFields(splitMessage(start).header, HEAD_LIMITS);
  const received = fields.find(({ key }) => key === 'received')?.value ?? '';
  const date = fields.findLast(({ key }) => key === 'date')?.value ?? '';
  return dateIn(received.slice(received.lastIndexOf(';') + 1)) ?? fromLine ?? dateIn(date);
};
