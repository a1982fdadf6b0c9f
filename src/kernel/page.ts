/** Pages of lists. A cursor is an opaque position: the next page begins after it. */

import type { Millis } from './clock.ts';
import { decodeCursor, encodeCursor, invalidCursor } from './cursor.ts';
import { type Id, parseId } from './ids.ts';

export interface Page<Row> {
  rows: Row[];
  /** Null on the last page. */
  next_cursor: string | null;
}

/** The order of a list: the members of a row that its cursor holds, and their parsing into a position. */
export interface PageOrder<Row, Position> {
  write(last: Row): readonly (string | number)[];
  /** @throws ApiError invalid_request where the cursor has another form */
  read(cursor: string): Position;
}

/**
 * Loads one page.
 * @param load receives the position after which the page begins, null for the first, and a limit of one row more than
 *   the page, which shows whether another page follows
 * @throws ApiError invalid_request for a cursor of another list
 */
export const readPage = async <Row, Position>(
  { limit, cursor }: { limit: number; cursor?: string | undefined },
  order: PageOrder<Row, Position>,
  load: (after: Position | null, limit: number) => Promise<readonly Row[]>,
): Promise<Page<Row>> => {
  const loaded = await load(cursor === undefined ? null : order.read(cursor), limit + 1);
  const rows = loaded.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next_cursor: last && loaded.length > limit ? cursorAfter(order, last) : null };
};

/** A cursor of a list, after its row `last`. */
export const cursorAfter = <Row, Position>(order: PageOrder<Row, Position>, last: Row): string =>
  encodeCursor(...order.write(last));

/** The first rows that fit into the size `most`; at least one. */
export const withinSize = <Row>(rows: readonly Row[], sizeOf: (row: Row) => number, most: number): Row[] => {
  let size = 0;
  return rows.filter((row, at) => {
    size += sizeOf(row);
    return at === 0 || size <= most;
  });
};

/** A page cut to its first rows, with a cursor that continues after them. */
export const cutPage = <Row, Position>(
  { rows, next_cursor }: Page<Row>,
  order: PageOrder<Row, Position>,
  shown: Row[],
): Page<Row> => {
  const last = shown.at(-1);
  return { rows: shown, next_cursor: last && shown.length < rows.length ? cursorAfter(order, last) : next_cursor };
};

/** A position in a list sorted by time, then by id. */
export interface TimeAndId<T extends string> {
  at: Millis;
  id: Id<T>;
}

export const byTimeAndId = <T extends string, Row extends { id: Id<T> }>(
  timeOf: (row: Row) => Millis,
): PageOrder<Row, TimeAndId<T>> => ({
  write: (last) => [timeOf(last), last.id],
  read: (cursor) => {
    const [at, text] = decodeCursor(cursor, 'integer', 'string');
    const id = parseId<T>(String(text));
    if (!id) throw invalidCursor();
    return { at: Number(at), id };
  },
});

/** For a list of rows with an ascending number of their own. */
export const byPosition = <Row>(positionOf: (row: Row) => number): PageOrder<Row, number> => ({
  write: (last) => [positionOf(last)],
  read: (cursor) => Number(decodeCursor(cursor, 'integer')[0]),
});

/** For a list with unique times. */
export const byCreationTime: PageOrder<{ createdAt: Millis }, Millis> = byPosition(({ createdAt }) => createdAt);
