/**
 * Stores a page and its passages, some passages in one transaction. Until the last one, readers and searches see the
 * former page; after a crash, the next attempt deletes the incomplete part.
 */

import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { findPlan, type Plans } from '../config/plans.ts';
import { readSlices } from '../contacts/slices.ts';
import type { Millis } from '../kernel/clock.ts';
import type { NewId, WorkspaceId } from '../kernel/ids.ts';
import { storableText } from '../kernel/text/clean-text.ts';
import { findWorkspaceById } from '../store/accounts/workspaces.ts';
import type { Source } from '../store/knowledge/knowledge-mappings.ts';
import { deletePassages, findPageByUrl, insertPage, insertPassages, updatePage } from '../store/knowledge/pages.ts';
import { addToPages, countKnowledge, findSourceBySeq } from '../store/knowledge/sources.ts';
import type { Db, Store, Tx } from '../store/store.ts';
import type { IndexedPassage, ReadPage } from '../workers/document-tasks.ts';

export interface PageNeeds {
  store: Store;
  newId: NewId;
  plans: Plans;
  /** Called after a page with its passages is stored. */
  onPageStored: () => void;
}

export interface PageToStore {
  /** Null: the page of a text. */
  url: string | null;
  reading: ReadPage;
  etag: string | null;
  lastModified: string | null;
  fetchedAt: Millis;
}

/** Passages deleted in one transaction. */
const PASSAGES_AT_ONCE = 50;
/** Links stored for a page. */
const MAX_LINKS = 500;

/** The source was removed, or is indexed anew: the work is abandoned. */
export class SourceChanged extends Error {
  override readonly name = 'SourceChanged';
}

/** @throws SourceChanged */
export const requireRound = async (db: Db, { seq, round }: Source): Promise<Source> => {
  const found = await findSourceBySeq(db, seq);
  if (found?.round !== round) throw new SourceChanged();
  return found;
};

export interface KnowledgeRoom {
  /** Null: the plan has no limit. */
  included: number | null;
  used: number;
}

export const findRoom = async (db: Db, plans: Plans, workspaceId: WorkspaceId): Promise<KnowledgeRoom> => {
  const workspace = await findWorkspaceById(db, workspaceId);
  const { knowledge_pages: included = null } = findPlan(plans, workspace?.plan ?? '');
  return { included, used: (await countKnowledge(db, workspaceId)).pages };
};

/** Whether the source may have one more page. Its first was counted when it was added. */
const mayAdd = async (db: Db, plans: Plans, { workspaceId, pages }: Source): Promise<boolean> => {
  if (pages === 0) return true;
  const { included, used } = await findRoom(db, plans, workspaceId);
  return included === null || used < included;
};

const keepSome = async (store: Store, pageSeq: number, revision: number | null): Promise<void> => {
  while ((await store.write((tx) => deletePassages(tx, pageSeq, revision, PASSAGES_AT_ONCE))) > 0) await yieldToLoop();
};

/** Deletes the passages of a page, some at a time. */
export const deleteAllPassages = (store: Store, pageSeq: number): Promise<void> => keepSome(store, pageSeq, null);

/**
 * @param inTransaction runs in the transaction that makes the page current
 * @returns whether it was stored; false where the plan's pages are used up
 * @throws SourceChanged
 */
export const storePage = async (
  { store, newId, plans, onPageStored }: PageNeeds,
  source: Source,
  { url, reading, etag, lastModified, fetchedAt }: PageToStore,
  inTransaction: (tx: Tx) => Promise<void>,
): Promise<boolean> => {
  const { seq: sourceSeq, workspaceId, round } = source;
  const [title, text] = [reading.title && storableText(reading.title), storableText(reading.text)];
  const summary = storableText(reading.summary);
  const id = newId<'page'>();
  const page = await store.write(async (tx) => {
    const current = await requireRound(tx.db, source);
    const known = await findPageByUrl(tx.db, sourceSeq, url);
    if ((known?.revision ?? 0) === 0 && !(await mayAdd(tx.db, plans, current))) return null;
    if (known) return { seq: known.seq, revision: known.revision };
    const empty = { title, summary: '', headings: [], etag: null, lastModified: null, links: [], text: '' };
    const row = { ...empty, id, workspaceId, sourceSeq, url, fetchedAt, revision: 0, round };
    return { seq: await insertPage(tx, row), revision: 0 };
  });
  if (page === null) return false;
  await keepSome(store, page.seq, page.revision);
  const revision = page.revision + 1;
  for (const passages of readSlices<IndexedPassage>(reading.passages)) {
    await store.write(async (tx) => {
      await requireRound(tx.db, source);
      await insertPassages(tx, page.seq, revision, passages);
    });
    await yieldToLoop();
  }
  const isStored = await store.write(async (tx) => {
    const current = await requireRound(tx.db, source);
    if (page.revision === 0 && !(await mayAdd(tx.db, plans, current))) return false;
    const content = { title, summary, headings: reading.headings.map(storableText), text };
    const links = reading.links.slice(0, MAX_LINKS);
    await updatePage(tx, page.seq, { ...content, etag, lastModified, fetchedAt, links, revision, round });
    if (page.revision === 0) await addToPages(tx, sourceSeq, 1);
    await inTransaction(tx);
    return true;
  });
  await keepSome(store, page.seq, isStored ? revision : page.revision);
  if (isStored) onPageStored();
  return isStored;
};
