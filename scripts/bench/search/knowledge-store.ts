/** A knowledge base filled straight into a store: a source and a page for each document. */

import { randomBytes } from 'node:crypto';
import { readSlices } from '../../../src/contacts/slices.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createIdSource, type WorkspaceId } from '../../../src/kernel/ids.ts';
import { insertPage, insertPassages } from '../../../src/store/knowledge/pages.ts';
import { findBook, insertSource } from '../../../src/store/knowledge/sources.ts';
import { toTermPrefix } from '../../../src/store/search/passages/passage-search.ts';
import type { Store } from '../../../src/store/store.ts';
import { documentWork, type IndexedPassage } from '../../../src/workers/document-tasks.ts';

export interface DocumentToStore {
  /** Stands as the URL, by which a hit is told. */
  name: string;
  title: string;
  text: string;
}

/** Documents of one transaction. */
const BATCH = 50;

/** @returns the number of its book, and of passages */
export const storeDocuments = async (
  store: Store,
  workspaceId: WorkspaceId,
  documents: Iterable<DocumentToStore>,
): Promise<{ book: number; passages: number }> => {
  const newId = createIdSource(systemClock, randomBytes);
  const now = Date.now();
  const source = await store.write((tx) =>
    insertSource(tx, {
      id: newId<'source'>(),
      workspaceId,
      kind: 'site',
      url: 'https://bench.test/',
      title: 'Bench',
      status: 'ready',
      error: null,
      pages: 1,
      lastIndexedAt: now,
      createdAt: now,
      queuedAt: null,
      round: 1,
      crawlOrigin: null,
      crawlOctets: 0,
      crawlMs: 0,
      removedAt: null,
    }),
  );
  const book = await findBook(store.read, workspaceId);
  if (book === null) throw new Error('The workspace has no book');
  const termPrefix = toTermPrefix(book);
  let passages = 0;
  const storeBatch = async (batch: readonly DocumentToStore[]): Promise<void> => {
    const read = await Promise.all(
      batch.map(async ({ name, title, text }) => {
        const reading = documentWork['read-text']({ text, title, termPrefix });
        if (!('passages' in reading)) throw new Error(`${name} was not read`);
        return { name, reading, passages: [...readSlices<IndexedPassage>(reading.passages)].flat() };
      }),
    );
    await store.write(async (tx) => {
      for (const { name, reading, passages: own } of read) {
        const page = await insertPage(tx, {
          id: newId<'page'>(),
          workspaceId,
          sourceSeq: source.seq,
          url: name,
          title: reading.title,
          summary: reading.summary,
          headings: [],
          links: [],
          etag: null,
          lastModified: null,
          fetchedAt: now,
          revision: 1,
          round: 1,
          text: '',
        });
        await insertPassages(tx, page, 1, own);
      }
    });
    passages += read.reduce((sum, each) => sum + each.passages.length, 0);
  };
  let batch: DocumentToStore[] = [];
  for (const document of documents) {
    batch.push(document);
    if (batch.length < BATCH) continue;
    await storeBatch(batch);
    batch = [];
  }
  if (batch.length > 0) await storeBatch(batch);
  return { book, passages };
};
