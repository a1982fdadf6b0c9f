/** Compares two sides of a copy row by row. */

import { CopyError } from '../store-errors.ts';
import type { CopiedSide } from './copied-side.ts';
import type { CopiedRow, CopiedTable, CopiedValue } from './copied-table.ts';

/** Differences after which the comparison ends. */
const MOST_DIFFERENCES = 10;

/** Rows of a table in the order of their keys, a batch in memory. */
class RowReader {
  readonly #side: CopiedSide;
  readonly #table: CopiedTable;
  #rows: readonly CopiedRow[] = [];
  #at = 0;
  #isOver = false;

  constructor(side: CopiedSide, table: CopiedTable) {
    this.#side = side;
    this.#table = table;
  }

  /** Undefined behind the last row. */
  get row(): CopiedRow | undefined {
    return this.#rows[this.#at];
  }

  get isRead(): boolean {
    return this.#at >= this.#rows.length && !this.#isOver;
  }

  async readMore(): Promise<void> {
    this.#rows = await this.#side.readRows(this.#table, this.#rows.at(-1) ?? null);
    this.#at = 0;
    this.#isOver = this.#rows.length === 0;
  }

  next(): void {
    this.#at += 1;
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
 * @param onRows told how many more rows were compared
 * @throws CopyError naming rows that differ
 */
export const verifyCopy = async (
  { from, to, clean }: Sides,
  tables: readonly CopiedTable[],
  onRows: (table: CopiedTable, count: number) => void,
): Promise<void> => {
  const faults: string[] = [];
  for (const table of tables) {
    const [ours, theirs] = [new RowReader(from, table), new RowReader(to, table)];
    let compared = 0;
    for (;;) {
      if (ours.isRead || theirs.isRead) {
        onRows(table, compared);
        compared = 0;
        if (ours.isRead) await ours.readMore();
        if (theirs.isRead) await theirs.readMore();
      }
      if ((!ours.row && !theirs.row) || faults.length >= MOST_DIFFERENCES) break;
      const { order, fault } = compareRows(table, ours.row && clean(table, ours.row), theirs.row, to.name);
      if (fault !== null) faults.push(fault);
      if (order <= 0) ours.next();
      if (order >= 0) theirs.next();
      compared += 1;
    }
  }
  if (faults.length === 0) return;
  const more = faults.length >= MOST_DIFFERENCES ? '\n  and perhaps others' : '';
  throw new CopyError(
    `${to.name} is not what ${from.name} has:\n  ${faults.join('\n  ')}${more}\nEmpty it, and copy again.`,
  );
};
