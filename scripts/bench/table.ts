/** Figures, laid out for eyes. */

import type { Table } from './bench.ts';

/** Of an even number, the mean of the two in the middle. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  const upper = sorted[Math.floor(half)] ?? Number.NaN;
  return Number.isInteger(half) ? (upper + (sorted[half - 1] ?? Number.NaN)) / 2 : upper;
};

/** To three digits: a change of a tenth shows in a small figure, too. */
export const threeDigits = (value: number): number => Number(value.toPrecision(3));

export const printTable = ({ title, columns, rows }: Table): string => {
  const cells = [columns, ...rows].map((row) => row.map(String));
  const widths = columns.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  const isNumber = columns.map((_, at) => rows.every((row) => typeof row[at] === 'number' || row[at] === '-'));
  const lines = cells.map((row) =>
    row
      .map((cell, at) => (isNumber[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  return [title, ...lines].join('\n');
};
