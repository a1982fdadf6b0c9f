/** Raw MIME, compressed by who stores it (zstd), one row for all rows of mail that share it. */

import { sql } from 'kysely';
import { preparedInsert } from '../prepared-insert.ts';
import { preparedSelect } from '../prepared-query.ts';
import type { Db, Tx } from '../store.ts';

export interface CompressedMime {
  /** zstd. */
  mime: Uint8Array;
  /** Bytes before compression. */
  size: number;
}

const insert = preparedInsert('raw_messages', ['mime', 'size']);

export const insertRawMessage = (tx: Tx, { mime, size }: CompressedMime): Promise<number> => insert(tx, { mime, size });

const byId = preparedSelect((db, id: number) =>
  db.selectFrom('raw_messages').select(['mime', 'size']).where('id', '=', id),
);
const sizeById = preparedSelect((db, id: number) => db.selectFrom('raw_messages').select('size').where('id', '=', id));

/** Null where the bytes are gone. */
export const findRawMessage = async (db: Db, rawId: number): Promise<CompressedMime | null> =>
  (await byId(db, rawId))[0] ?? null;

/** Bytes before compression; 0 where they are gone. */
export const findRawSize = async (db: Db, rawId: number): Promise<number> => (await sizeById(db, rawId))[0]?.size ?? 0;

/** The first octets of the compressed bytes, which may be all; null where they are gone. */
export const findRawStart = async (db: Db, rawId: number, octets: number): Promise<Uint8Array | null> => {
  const start = sql<Uint8Array>`substr(mime, 1, ${sql.lit(octets)})`.as('start');
  return (await db.selectFrom('raw_messages').select(start).where('id', '=', rawId).executeTakeFirst())?.start ?? null;
};

/** Drops the bytes once no mail refers to them. */
export const deleteRawMessageIfUnused = async (tx: Tx, rawId: number): Promise<void> => {
  const user = await tx.db.selectFrom('messages').select('seq').where('raw_id', '=', rawId).executeTakeFirst();
  if (!user) await tx.db.deleteFrom('raw_messages').where('id', '=', rawId).execute();
};
