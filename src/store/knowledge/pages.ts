/** The pages of sources, and their passages, which search finds. */

import { idFromBytes, idToBytes, type PageId, type WorkspaceId } from '../../kernel/ids.ts';
import { preparedNumberedInsert } from '../prepared-insert.ts';
import { above, countRows, deleteRows, findRow, findValue, listRows, updateRows } from '../rows.ts';
import type { PassageTerms } from '../search/passages/passage-search.ts';
import type { Db, Tx } from '../store.ts';
import { knowledgePages, knowledgePassages, type StoredPage } from './knowledge-mappings.ts';

const insertRow = preparedNumberedInsert(knowledgePages.omit('seq'), 'seq');
const insertPassage = preparedNumberedInsert(knowledgePassages.omit('seq', 'embeddedBy'), 'seq');

export const insertPage = (tx: Tx, page: Omit<StoredPage, 'seq'>): Promise<number> => insertRow(tx, page);

export const updatePage = (
  tx: Tx,
  seq: number,
  values: Partial<Omit<StoredPage, 'seq' | 'id' | 'workspaceId' | 'sourceSeq'>>,
): Promise<void> => updateRows(tx, knowledgePages, { seq }, values);

const withoutText = knowledgePages.omit('text', 'links');
export type PageRow = Omit<StoredPage, 'text' | 'links'>;

/** Finds pages that are not shown yet, too. @param url null: the page of a text */
export const findPageByUrl = (db: Db, sourceSeq: number, url: string | null): Promise<PageRow | null> =>
  findRow(db, knowledgePages, { sourceSeq, url }, { as: withoutText });

/** A page that is shown, with the id of its source. */
export const findPage = async (db: Db, workspaceId: WorkspaceId, id: PageId) => {
  const row = await db
    .selectFrom('knowledge_pages')
    .innerJoin('knowledge_sources', 'knowledge_sources.seq', 'knowledge_pages.source_seq')
    .select(knowledgePages.qualifiedNames)
    .select('knowledge_sources.id as source_id')
    .where('knowledge_pages.id', '=', idToBytes(id))
    .where('knowledge_pages.workspace_id', '=', idToBytes(workspaceId))
    .where('knowledge_pages.revision', '>', 0)
    .where('knowledge_sources.removed_at', 'is', null)
    .executeTakeFirst();
  return row ? { ...knowledgePages.read(row), sourceId: idFromBytes<'source'>(row.source_id) } : null;
};

export const findPageText = (db: Db, seq: number): Promise<string | null> =>
  findValue(db, knowledgePages, 'text', { seq });

/** The links that a crawl follows from a page. */
export const findPageLinks = async (db: Db, seq: number): Promise<string[]> =>
  (await findValue(db, knowledgePages, 'links', { seq })) ?? [];

/** Pages that the round has seen. */
export const countPagesOfRound = (db: Db, sourceSeq: number, round: number): Promise<number> =>
  countRows(db, knowledgePages, { sourceSeq, round, revision: above(0) });

/** The pages of a source that are shown, in the order in which they came. */
export const listPages = (db: Db, sourceSeq: number, limit: number): Promise<PageRow[]> =>
  listRows(db, knowledgePages, { sourceSeq, revision: above(0) }, { order: { seq: 'asc' }, limit, as: withoutText });

/** Before the first: of pages that a crawl has found to be gone. */
export const GONE_ROUND = 0;

/** Pages that no crawl has seen since `round`, and pages that were never shown. */
export const listOutdatedPages = async (
  db: Db,
  sourceSeq: number,
  round: number,
  limit: number,
): Promise<{ seq: number; isShown: boolean }[]> => {
  const rows = await db
    .selectFrom('knowledge_pages')
    .select(['seq', 'revision'])
    .where('source_seq', '=', sourceSeq)
    .where((eb) => eb.or([eb('round', '<', round), eb('revision', '=', 0)]))
    .orderBy('seq')
    .limit(limit)
    .execute();
  return rows.map(({ seq, revision }) => ({ seq, isShown: revision > 0 }));
};

/** Deletes a page once its passages are deleted. */
export const deletePage = (tx: Tx, seq: number): Promise<void> => deleteRows(tx, knowledgePages, { seq });

export interface NewPassage {
  heading: string;
  isLead: boolean;
  text: string;
  terms: PassageTerms;
}

/** Keeps the count of the workspace's passages. */
const countPassages = async (tx: Tx, pageSeq: number, added: number): Promise<void> => {
  await tx.db
    .updateTable('knowledge_books')
    .set((eb) => ({ passages: eb('passages', '+', added) }))
    .where('workspace_id', '=', (eb) =>
      eb.selectFrom('knowledge_pages').select('workspace_id').where('seq', '=', pageSeq),
    )
    .execute();
};

/** Stores passages of a revision, which becomes current with {@link updatePage}. */
export const insertPassages = async (
  tx: Tx,
  pageSeq: number,
  revision: number,
  passages: readonly NewPassage[],
): Promise<void> => {
  for (const { terms, heading, isLead, text } of passages) {
    const seq = await insertPassage(tx, { pageSeq, revision, heading, isLead, text });
    await tx.passageIndex.add(seq, terms);
  }
  await countPassages(tx, pageSeq, passages.length);
};

/**
 * Deletes passages of a page, at most `limit`.
 * @param except the revision that stays; null: none does
 * @returns how many
 */
export const deletePassages = async (
  tx: Tx,
  pageSeq: number,
  except: number | null,
  limit: number,
): Promise<number> => {
  let query = tx.db.selectFrom('knowledge_passages').select('seq').where('page_seq', '=', pageSeq);
  if (except !== null) query = query.where('revision', '<>', except);
  const rows = await query.limit(limit).execute();
  if (rows.length === 0) return 0;
  const seqs = rows.map(({ seq }) => seq);
  for (const seq of seqs) await tx.passageIndex.remove(seq);
  await tx.db.deleteFrom('knowledge_passages').where('seq', 'in', seqs).execute();
  await countPassages(tx, pageSeq, -seqs.length);
  return seqs.length;
};
