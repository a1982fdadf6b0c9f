/** Pages of lists: where the page before ended comes in, where this one ends goes out. */

import type { Millis } from './clock.ts';
import { decodeCursor, encodeCursor, invalidCursor } from './cursor.ts';
import { type Id, parseId } from './ids.ts';

/**
 * Cuts a page from what was read, which is one row more than `limit` where there are more.
 * @param position of the page's last row: what its cursor says, in the shape that reads it
 */
export const toPage = <Row>(
  rows: readonly Row[],
  limit: number,
  position: (last: Row) => readonly (string | number)[],
): { page: Row[]; next_cursor: string | null } => {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, next_cursor: last && rows.length > limit ? encodeCursor(...position(last)) : null };
};

/** A place in a list that is sorted by time, then by id. */
export interface TimeAndId<T extends string> {
  at: Millis;
  id: Id<T>;
}

/**
 * Reads a cursor of such a list; null where none is given.
 * @throws ApiError invalid_request where it is none of ours
 */
export const readTimeAndId = <T extends string>(cursor: string | undefined): TimeAndId<T> | null => {
  if (cursor === undefined) return null;
  const [at, text] = decodeCursor(cursor, 'number', 'string');
  const id = parseId<T>(String(text));
  if (!id) throw invalidCursor();
  return { at: Number(at), id };
};

/** The same of a list whose times are unique. */
export const readTime = (cursor: string | undefined): Millis | null =>
  cursor === undefined ? null : Number(decodeCursor(cursor, 'number')[0]);
