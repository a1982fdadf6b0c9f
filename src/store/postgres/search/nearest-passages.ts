/** The passages with the vectors nearest to a query's: the server compares them where it has pgvector, else they are read. */

import { sql } from 'kysely';
import type { QueryVector } from '../../search/passages/passage-search.ts';
import type { Db } from '../../store.ts';
import { HAS_VECTORS } from '../own-schema.ts';

/** Of vectors of one length, as octets from -127 to 127. */
const cosine = (one: Int8Array, other: Int8Array): number => {
  let [dot, ofOne, ofOther] = [0, 0, 0];
  for (let at = 0; at < one.length; at += 1) {
    const [a = 0, b = 0] = [one[at], other[at]];
    dot += a * b;
    ofOne += a * a;
    ofOther += b * b;
  }
  return dot / Math.sqrt(ofOne * ofOther);
};

const toOctets = (vector: Uint8Array): Int8Array => new Int8Array(vector.buffer, vector.byteOffset, vector.byteLength);

/** Vectors that are read, the newest. */
const MOST_VECTORS = 20_000;
const VECTORS_AT_ONCE = 1_000;

/** @returns the passages' numbers, the nearest first */
type FindNearest = (db: Db, book: number, query: QueryVector, most: number) => Promise<number[]>;

const readAndCompare: FindNearest = async (db, book, { model, vector }, most) => {
  const asked = toOctets(vector);
  const near: { seq: number; likeness: number }[] = [];
  let below = Number.MAX_SAFE_INTEGER;
  for (let read = 0; read < MOST_VECTORS; read += VECTORS_AT_ONCE) {
    const { rows } = await sql<{ seq: number; vector: Uint8Array }>`
      select passage_seq as seq, vector from knowledge_vectors
      where book = ${book} and passage_seq < ${below} and model = ${model} and length(vector) = ${vector.length}
      order by passage_seq desc limit ${VECTORS_AT_ONCE}`.execute(db);
    for (const row of rows) near.push({ seq: row.seq, likeness: cosine(asked, toOctets(row.vector)) });
    below = rows.at(-1)?.seq ?? 0;
    if (rows.length < VECTORS_AT_ONCE) break;
  }
  return near
    .filter(({ likeness }) => likeness > 0)
    .sort((a, b) => b.likeness - a.likeness || a.seq - b.seq)
    .slice(0, most)
    .map(({ seq }) => seq);
};

/** All of the book. A vector of another length has no distance. */
const compareThere: FindNearest = async (db, book, { model, vector }, most) => {
  const asked = `[${toOctets(vector).join()}]`;
  const { rows } = await sql<{ seq: number }>`
    with distances as materialized (
      select passage_seq as seq,
        case when length(vector) = ${vector.length} then compared <=> ${asked}::vector end as distance
      from knowledge_vectors where book = ${book} and model = ${model}
    )
    select seq from distances where distance < 1 order by distance, seq limit ${most}`.execute(db);
  return rows.map(({ seq }) => seq);
};

export const findNearest: FindNearest = async (db, ...query) => {
  const { rows } = await sql.raw(HAS_VECTORS).execute(db);
  return rows.length > 0 ? compareThere(db, ...query) : readAndCompare(db, ...query);
};
