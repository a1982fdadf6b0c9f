/** Compares two sides of a copy row by row. */

import { CopyError } from '../store-errors.ts';
import type { CopiedSide } from './copied-side.ts';
import type { CopiedRow, CopiedTable, CopiedValue } from './copied-table.ts';

/** Differences after which the comparison ends. */
const MOST_DIFFERENCES = 10;

/** Rows of a table in the order of their keys, a batch in memory. @param onBatch told how many rows are read next */
async function* readAll(side: CopiedSide, table: CopiedTable, onBatch: (count: number) => void = () => {}) {
  for (let last: CopiedRow | null = null; ; ) {
    const rows: readonly CopiedRow[] = await side.readRows(table, last);
    onBatch(rows.length);
    yield* rows;
    last = rows.at(-1) ?? null;
    if (last === null) return;
  }
}

const isBytes = (value: CopiedValue | undefined): value is Uint8Array => value instanceof Uint8Array;

/** In the order of both engines: bytes and UTF-8 by octets. */
const compare = (one: CopiedValue | undefined, other: CopiedValue | undefined): number => {
  if (typeof one === 'bigint' && typeof other === 'bigint') return one < other ? -1 : one > other ? 1 : 0;
  const octetsOf = (value: CopiedValue | undefined) => (isBytes(value) ? value : Buffer.from(String(value)));
  return Buffer.compare(octetsOf(one), octetsOf(other));
};

const isSame = (one: CopiedValue | undefined, other: CopiedValue | undefined): boolean =>
  one === other || (isBytes(one) && isBytes(other) && Buffer.compare(one, other) === 0);

const compareKeys = ({ key }: CopiedTable, one: CopiedRow, other: CopiedRow): number => {
  for (const at of key.keys()) {
    const order = isSame(one[at], other[at]) ? 0 : compare(one[at], other[at]);
    if (order !== 0) return order;
  }
  return 0;
};

export const formatKey = ({ key }: CopiedTable, row: readonly CopiedValue[]): string =>
  key
    .map((column, at) => {
      const value = row[at];
      return `${column} ${isBytes(value) ? Buffer.from(value).toString('hex') : String(value)}`;
    })
    .join(', ');

/** @returns what differs, as people read it */
const compareRows = (table: CopiedTable, one: CopiedRow | undefined, other: CopiedRow | undefined, to: string) => {
  const order = !one ? 1 : !other ? -1 : compareKeys(table, one, other);
  const row = (order > 0 ? other : one) ?? [];
  const fault = () => {
    if (order !== 0) return order < 0 ? `is not in ${to}` : `is in ${to} alone`;
    const differing = table.columns.filter((_, at) => !isSame(one?.[at], other?.[at]));
    return differing.length === 0 ? null : `differs in ${differing.join(', ')}`;
  };
  const found = fault();
  return { order, fault: found === null ? null : `${table.name} (${formatKey(table, row)}) ${found}` };
};

export interface Sides {
  readonly from: CopiedSide;
  readonly to: CopiedSide;
  /** A row as it is written. */
  readonly clean: (table: CopiedTable, row: CopiedRow) => CopiedRow;
}

/**
 * @param onRows told how many more rows are compared
 * @throws CopyError naming rows that differ
 */
export const verifyCopy = async (
  { from, to, clean }: Sides,
  tables: readonly CopiedTable[],
  onRows: (table: CopiedTable, count: number) => void,
): Promise<void> => {
  const faults: string[] = [];
  for (const table of tables) {
    const ours = readAll(from, table, (count) => onRows(table, count));
    const theirs = readAll(to, table);
    let [one, other] = await Promise.all([ours.next(), theirs.next()]);
    while (!(one.done && other.done) && faults.length < MOST_DIFFERENCES) {
      const row = one.done ? undefined : clean(table, one.value);
      const { order, fault } = compareRows(table, row, other.done ? undefined : other.value, to.name);
      if (fault !== null) faults.push(fault);
      if (order <= 0) one = await ours.next();
      if (order >= 0) other = await theirs.next();
    }
  }
  if (faults.length === 0) return;
  const more = faults.length >= MOST_DIFFERENCES ? '\n  and perhaps others' : '';
  throw new CopyError(
    `${to.name} is not what ${from.name} has:\n  ${faults.join('\n  ')}${more}\nEmpty it, and copy again.`,
  );
};
