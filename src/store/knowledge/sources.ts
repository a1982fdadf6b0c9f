/** The sources of a workspace's knowledge base. */

import type { Millis } from '../../kernel/clock.ts';
import { idFromBytes, idToBytes, type SourceId, type WorkspaceId } from '../../kernel/ids.ts';
import { preparedNumberedInsert } from '../prepared-insert.ts';
import { findRow, listRows, notNull, plus, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { knowledgeBooks, knowledgeSources, type Source } from './knowledge-mappings.ts';

const insertRow = preparedNumberedInsert(knowledgeSources.omit('seq'), 'seq');
const insertBook = preparedNumberedInsert(knowledgeBooks.omit('number'), 'number');

/** The number that a workspace's terms begin with; null where it never had a source. */
export const findBook = async (db: Db, workspaceId: WorkspaceId): Promise<number | null> =>
  (await findRow(db, knowledgeBooks, { workspaceId }))?.number ?? null;

export const insertSource = async (tx: Tx, source: Omit<Source, 'seq'>): Promise<Source> => {
  const { workspaceId } = source;
  if ((await findBook(tx.db, workspaceId)) === null) await insertBook(tx, { workspaceId, passages: 0 });
  return { ...source, seq: await insertRow(tx, source) };
};

export const findSource = (db: Db, workspaceId: WorkspaceId, id: SourceId): Promise<Source | null> =>
  findRow(db, knowledgeSources, { id, workspaceId, removedAt: null });

/** Null where it is removed. */
export const findSourceBySeq = (db: Db, seq: number): Promise<Source | null> =>
  findRow(db, knowledgeSources, { seq, removedAt: null });

/** In the order of their creation. */
export const listSources = (db: Db, workspaceId: WorkspaceId, limit: number): Promise<Source[]> =>
  listRows(db, knowledgeSources, { workspaceId, removedAt: null }, { order: { seq: 'asc' }, limit });

/** Newest first. @param after the number of the last row of the page before; null: the first page */
export const listNewestSources = (
  db: Db,
  workspaceId: WorkspaceId,
  after: number | null,
  limit: number,
): Promise<Source[]> => {
  const behind = after === null ? null : { seq: after };
  return listRows(db, knowledgeSources, { workspaceId, removedAt: null }, { order: { seq: 'desc' }, behind, limit });
};

/** Those that wait or are being indexed, in the order of their creation. */
export const listQueuedSources = (db: Db, workspaceId: WorkspaceId, limit: number): Promise<Source[]> =>
  listRows(db, knowledgeSources, { workspaceId, removedAt: null, queuedAt: notNull }, { order: { seq: 'asc' }, limit });

export interface KnowledgeUse {
  sources: number;
  /** Each source counts as one at least, so that a waiting one has its place. */
  pages: number;
}

export const countKnowledge = async (db: Db, workspaceId: WorkspaceId): Promise<KnowledgeUse> => {
  const counted = await db
    .selectFrom('knowledge_sources')
    .select((eb) => [
      eb.fn.countAll<number>().as('sources'),
      eb.fn.sum<number | null>(eb.case().when('pages', '>', 1).then(eb.ref('pages')).else(1).end()).as('pages'),
    ])
    .where('workspace_id', '=', idToBytes(workspaceId))
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow();
  return { sources: Number(counted.sources), pages: Number(counted.pages ?? 0) };
};

export const updateSource = (
  tx: Tx,
  { seq }: Pick<Source, 'seq'>,
  values: Partial<Omit<Source, 'seq' | 'id' | 'workspaceId'>>,
): Promise<void> => updateRows(tx, knowledgeSources, { seq }, values);

/** Adds to its count of pages. */
export const addToPages = (tx: Tx, seq: number, added: number): Promise<void> =>
  updateRows(tx, knowledgeSources, { seq }, { pages: plus(added) });

export type DueSource = Pick<Source, 'seq' | 'workspaceId'>;

/** Sources that wait or are being indexed, the longest waiting first. */
export const listDueSources = async (db: Db, limit: number): Promise<DueSource[]> => {
  const rows = await db
    .selectFrom('knowledge_sources')
    .innerJoin('workspaces', 'workspaces.id', 'knowledge_sources.workspace_id')
    .select(['knowledge_sources.seq', 'knowledge_sources.workspace_id'])
    .where('knowledge_sources.queued_at', 'is not', null)
    .where('workspaces.removed_at', 'is', null)
    .orderBy('knowledge_sources.queued_at')
    .limit(limit)
    .execute();
  return rows.map(({ seq, workspace_id }) => ({ seq, workspaceId: idFromBytes(workspace_id) }));
};

/** Hides the source with its pages; {@link listRemovedSources} has it until its rows are deleted. */
export const setSourceRemoved = (tx: Tx, seq: number, now: Millis): Promise<void> =>
  updateRows(tx, knowledgeSources, { seq }, { removedAt: now, queuedAt: null });

export const listRemovedSources = async (db: Db, limit: number): Promise<number[]> => {
  const found = await listRows(db, knowledgeSources, { removedAt: notNull }, { order: { removedAt: 'asc' }, limit });
  return found.map(({ seq }) => seq);
};

/** Removed sources of the workspace with rows left, up to `most`. */
export const countRemovedSources = async (db: Db, workspaceId: WorkspaceId, most: number): Promise<number> =>
  (await listRows(db, knowledgeSources, { workspaceId, removedAt: notNull }, { limit: most })).length;

/** A source of the workspace, removed or not; null where it has none. */
export const findAnySource = async (db: Db, workspaceId: WorkspaceId): Promise<number | null> =>
  (await findRow(db, knowledgeSources, { workspaceId }))?.seq ?? null;
