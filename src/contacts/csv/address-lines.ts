/** Text with one address a line, as `a@b` or `Name <a@b>`; commas in names are no delimiters. */

import { readColumnName } from './column-names.ts';
import { isAddress } from './columns.ts';

export interface NumberedRecord {
  /** From 1, as a spreadsheet numbers rows. */
  row: number;
  record: string[];
}

/** Lines that decide whether the text is such a list. */
const LOOKED_AT = 20;
/** A longer line is no address with a name. */
const MAX_LINE = 1_000;

/** Removes commas and semicolons that copying left at a line's ends. */
const cleanLine = (line: string): string => line.trim().replace(/[\s,;]{1,20}$/, '');

/** Lines with their numbers, from 1; empty ones are left out. */
const splitLines = (text: string, most: number): { row: number; line: string }[] => {
  const lines: { row: number; line: string }[] = [];
  const breaks = /\r\n|\n|\r/g;
  let from = 0;
  for (let row = 1; from <= text.length && lines.length < most; row += 1) {
    const end = breaks.exec(text);
    const line = cleanLine(text.slice(from, end?.index ?? text.length));
    if (line !== '') lines.push({ row, line });
    from = end ? end.index + end[0].length : text.length + 1;
  }
  return lines;
};

/** Whether most of the first lines are whole addresses; the first may be the column's name. */
export const isAddressList = (text: string): boolean => {
  const lines = splitLines(text.slice(0, LOOKED_AT * MAX_LINE), LOOKED_AT);
  const [first] = lines;
  const named = first && readColumnName(first.line)?.field === 'email' ? lines.slice(1) : lines;
  const addresses = named.filter(({ line }) => isAddress(line)).length;
  return addresses > 0 && addresses > named.length / 2;
};

/** A line is one cell, unless it is several addresses. @param most lines that are read */
export const readAddressLines = (text: string, most: number): NumberedRecord[] =>
  splitLines(text, most).map(({ row, line }) => {
    const parts = isAddress(line) ? [line] : line.slice(0, MAX_LINE).split(/[,;]/);
    return { row, record: parts.every(isAddress) ? parts : [line] };
  });
