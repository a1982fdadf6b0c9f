/** Vectors of passages: lists the passages that lack one, and stores new ones. */

import type { Entity } from '../mapping.ts';
import { preparedInsert, preparedNumberedInsert } from '../prepared-insert.ts';
import { deleteRows, findRow, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import {
  type EmbeddingModel,
  embeddingModels,
  knowledgePassages,
  knowledgeVectors,
  type StoredPage,
} from './knowledge-mappings.ts';

const insertModel = preparedNumberedInsert(embeddingModels.omit('number'), 'number');
const insertVector = preparedInsert(knowledgeVectors);

/** The model in use; null where there was none. */
export const findEmbeddingModel = (db: Db): Promise<EmbeddingModel | null> =>
  findRow(db, embeddingModels, {}, { order: { number: 'desc' } });

/** Puts a model into use: where another was, every passage lacks a vector again. @returns its number */
export const useEmbeddingModel = async (tx: Tx, model: Omit<EmbeddingModel, 'number'>): Promise<number> => {
  const used = await findEmbeddingModel(tx.db);
  if (used && used.name === model.name && used.dimensions === model.dimensions) return used.number;
  return insertModel(tx, model);
};

export type UnembeddedPassage = Pick<Entity<typeof knowledgePassages>, 'seq' | 'heading' | 'text'> &
  Pick<StoredPage, 'title'>;

const unembedded = (db: Db, model: number) =>
  db
    .selectFrom('knowledge_passages as a')
    .innerJoin('knowledge_pages as p', (join) =>
      join.onRef('p.seq', '=', 'a.page_seq').onRef('p.revision', '=', 'a.revision'),
    )
    .innerJoin('knowledge_sources as s', 's.seq', 'p.source_seq')
    .where('a.embedded_by', '<', model)
    .where('s.removed_at', 'is', null);

/** Current passages that the model has not seen. */
export const listUnembedded = (db: Db, model: number, limit: number): Promise<UnembeddedPassage[]> =>
  unembedded(db, model).select(['a.seq', 'p.title', 'a.heading', 'a.text']).limit(limit).execute();

/** Their number, up to `most`. */
export const countUnembedded = async (db: Db, model: number, most: number): Promise<number> => {
  const { count } = await db
    .selectFrom(unembedded(db, model).select('a.seq').limit(most).as('some'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
};

/** @param vector null: the endpoint refuses the text */
export interface EmbeddedPassage extends Pick<UnembeddedPassage, 'seq' | 'heading' | 'text'> {
  vector: Buffer | null;
}

/** Skips passages that are gone: their numbers may have been reused. */
export const storeVectors = async (tx: Tx, model: number, passages: readonly EmbeddedPassage[]): Promise<void> => {
  for (const { seq, heading, text, vector } of passages) {
    const row = await tx.db
      .selectFrom('knowledge_passages as a')
      .innerJoin('knowledge_pages as p', 'p.seq', 'a.page_seq')
      .innerJoin('knowledge_books as b', 'b.workspace_id', 'p.workspace_id')
      .select('b.number')
      .where('a.seq', '=', seq)
      .where('a.heading', '=', heading)
      .where('a.text', '=', text)
      .executeTakeFirst();
    if (!row) continue;
    await updateRows(tx, knowledgePassages, { seq }, { embeddedBy: model });
    await deleteRows(tx, knowledgeVectors, { passageSeq: seq });
    if (vector) await insertVector(tx, { book: row.number, passageSeq: seq, model, vector });
  }
};
