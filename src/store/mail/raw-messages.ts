/** Raw MIME, compressed by the caller (zstd), one row for all rows of mail that share it. */

import { sql } from 'kysely';
import type { Entity } from '../mapping.ts';
import { preparedNumberedInsert } from '../prepared-insert.ts';
import { above, deleteRows, findRow, findValue, listRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { messages, rawMessages } from './mail-mappings.ts';

const compressed = rawMessages.omit('id');
export type CompressedMime = Entity<typeof compressed>;

/** @returns the row's number */
export const insertRawMessage = preparedNumberedInsert(compressed, 'id');

/** Null where the bytes were deleted. */
export const findRawMessage = (db: Db, rawId: number): Promise<CompressedMime | null> =>
  findRow(db, rawMessages, { id: rawId }, { as: compressed });

/** The first octets of the compressed bytes, which may be all; null where they were deleted. */
export const findRawStart = async (db: Db, rawId: number, octets: number): Promise<Uint8Array | null> => {
  const start = sql<Uint8Array>`substr(${sql.ref('mime')}, 1, ${sql.lit(octets)})`.as('start');
  return (await db.selectFrom('raw_messages').select(start).where('id', '=', rawId).executeTakeFirst())?.start ?? null;
};

/** The bytes of all mail in the order of their numbers. */
export const listRawMessages = (db: Db, after: number, limit: number): Promise<Entity<typeof rawMessages>[]> =>
  listRows(db, rawMessages, { id: above(after) }, { order: { id: 'asc' }, limit });

/** Deletes the bytes once no message refers to them. */
export const deleteRawMessageIfUnused = async (tx: Tx, rawId: number): Promise<void> => {
  if ((await findValue(tx.db, messages, 'seq', { rawId })) === null) await deleteRows(tx, rawMessages, { id: rawId });
};
