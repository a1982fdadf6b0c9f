/**
 * Copies all data to an empty place, for a move between engines. Rows go in the order of their keys, so what is there tells
 * where an interrupted copy goes on; then all rows are compared, and the indexes are made.
 */

import type { StorageLocation } from '../../config/config-values.ts';
import type { Millis } from '../../kernel/clock.ts';
import { lockDataDirectory } from '../lock-data.ts';
import { COPY_MARK, refuseOther } from '../migrations/schema-state.ts';
import { openCopiedFile } from '../sqlite/copied-file.ts';
import { CopyError } from '../store-errors.ts';
import { toText } from '../values.ts';
import type { CopiedSide } from './copied-side.ts';
import { type CopiedRow, type CopiedTable, listCopiedTables } from './copied-table.ts';
import { indexCopy } from './index-copy.ts';
import { formatKey, type Sides, verifyCopy } from './verify-copy.ts';

export interface CopiedPlace {
  readonly location: StorageLocation;
  /** The data directory of its daemon; null: not known, the database has a lock of its own. */
  readonly directory: string | null;
}

export interface CopyProgress {
  readonly step: 'copied' | 'compared' | 'indexed';
  readonly table: string;
  /** Rows of this step and table so far. */
  readonly rows: number;
}

export interface Copied {
  /** Rows by table, of those that have any. */
  readonly rows: Readonly<Record<string, number>>;
  /** Texts in which U+0000 was replaced by U+FFFD, by table and column. */
  readonly replaced: Readonly<Record<string, number>>;
  /** Whether it went on with an interrupted copy. */
  readonly isResumed: boolean;
}

const openSide = async (
  { location }: CopiedPlace,
  role: 'from' | 'to',
  tables: readonly CopiedTable[],
): Promise<CopiedSide> =>
  location.engine === 'sqlite'
    ? openCopiedFile(location.file, role, tables)
    : (await import('../postgres/copied-database.ts')).openCopiedDatabase(location, role, tables);

/** @returns rows as they are written: PostgreSQL stores no text with U+0000, and the product writes none. */
const createCleaning =
  (onReplaced: (column: string) => void) =>
  (table: CopiedTable, row: CopiedRow): CopiedRow => {
    if (!row.some((value) => typeof value === 'string' && value.includes('\0'))) return row;
    return row.map((value, at) => {
      if (typeof value !== 'string' || !value.includes('\0')) return value;
      const column = table.columns[at] ?? '';
      if (table.key.includes(column)) {
        throw new CopyError(`${table.name} (${formatKey(table, row)}) has U+0000 in its key, which no text may have.`);
      }
      onReplaced(`${table.name}.${column}`);
      return toText(value);
    });
  };

const requireFitting = async ({ from, to }: Sides): Promise<{ isResumed: boolean }> => {
  const ours = await from.schema();
  if (ours.isNew) throw new CopyError(`There is no data yet: ${from.name}`);
  refuseOther(from.name, ours);
  const theirs = await to.schema();
  const isResumed = theirs.unknown.includes(COPY_MARK);
  if (!isResumed && !theirs.isNew) {
    throw new CopyError(
      `${to.name} has data already, and is no copy that was interrupted. Nothing was written: name an empty place.`,
    );
  }
  if (isResumed) refuseOther(to.name, { ...theirs, unknown: theirs.unknown.filter((name) => name !== COPY_MARK) });
  return { isResumed };
};

const copyTable = async ({ from, to, clean }: Sides, table: CopiedTable, onRows: (count: number) => void) => {
  for (let after = await to.findLastKey(table); ; ) {
    const rows = await from.readRows(table, after);
    const last = rows.at(-1);
    if (!last) return;
    try {
      await to.insertRows(
        table,
        rows.map((row) => clean(table, row)),
      );
    } catch (error) {
      if (error instanceof CopyError) throw error;
      const first = formatKey(table, rows[0] ?? []);
      throw new CopyError(
        `Rows of ${table.name} from ${first} on are not written to ${to.name}: ${String(error)}. Run the command again, which goes on there; where ${from.name} was changed since it began, empty ${to.name} first.`,
        { cause: error },
      );
    }
    onRows(rows.length);
    after = last;
  }
};

const countNumbers = async ({ from }: Sides, tables: readonly CopiedTable[]): Promise<Map<CopiedTable, bigint>> => {
  const numbers = new Map<CopiedTable, bigint>();
  for (const table of tables) if (table.numbered !== null) numbers.set(table, await from.findLastNumber(table));
  return numbers;
};

const copySides = async (
  sides: { from: CopiedSide; to: CopiedSide },
  tables: readonly CopiedTable[],
  now: Millis,
  onProgress: (progress: CopyProgress) => void,
): Promise<Copied> => {
  const rows: Record<string, number> = {};
  const replaced: Record<string, number> = {};
  const copying = { ...sides, clean: createCleaning(() => {}) };
  const { isResumed } = await requireFitting(copying);
  if (!isResumed) await sides.to.begin(now);
  const counted: Record<string, number> = {};
  const tell = (step: CopyProgress['step'], table: string, count: number): void => {
    const name = `${step} ${table}`;
    counted[name] = (counted[name] ?? 0) + count;
    onProgress({ step, table, rows: counted[name] });
  };
  for (const table of tables) await copyTable(copying, table, (count) => tell('copied', table.name, count));
  const comparing = {
    ...sides,
    clean: createCleaning((column) => {
      replaced[column] = (replaced[column] ?? 0) + 1;
    }),
  };
  await verifyCopy(comparing, tables, ({ name }, count) => {
    if (count > 0) rows[name] = (rows[name] ?? 0) + count;
    tell('compared', name, count);
  });
  await indexCopy(sides.to, (index, count) => tell('indexed', index, count));
  await sides.to.finish(await countNumbers(copying, tables));
  return { rows, replaced, isResumed };
};

/**
 * No daemon may work on either side; a command that writes to the source meanwhile is not in the copy.
 * @throws LockedError, SchemaError, ServerError, CopyError
 */
export const copyData = async (
  places: { readonly from: CopiedPlace; readonly to: CopiedPlace },
  now: Millis,
  onProgress: (progress: CopyProgress) => void = () => {},
): Promise<Copied> => {
  const tables = listCopiedTables();
  const ends: (() => unknown)[] = [];
  try {
    for (const directory of new Set([places.from.directory, places.to.directory])) {
      if (directory === null) continue;
      const lock = lockDataDirectory(directory);
      ends.push(() => lock.release());
    }
    const from = await openSide(places.from, 'from', tables);
    ends.push(() => from.close());
    const to = await openSide(places.to, 'to', tables);
    ends.push(() => to.close());
    return await copySides({ from, to }, tables, now, onProgress);
  } finally {
    for (const end of ends.reverse()) await end();
  }
};
