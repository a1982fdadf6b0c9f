/** How well the knowledge search ranks: nDCG@10 on Cranfield, beside plain BM25 over the same text. */

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createIdSource, type WorkspaceId } from '../../../src/kernel/ids.ts';
import { insertWorkspace } from '../../../src/store/accounts/workspaces.ts';
import { openStore } from '../../../src/store/open-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { type Collection, ndcgAtTen, readCranfield } from './cranfield.ts';
import { storeDocuments } from './knowledge-store.ts';

const DATA = process.env.POSTROOM_TEST_DATA ?? resolve(import.meta.dirname, '../../../../shared/data');

export interface Quality {
  readonly ranking: string;
  readonly ndcgAtTen: number;
}

export interface Retrieval {
  readonly qualities: readonly Quality[];
  readonly passages: number;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const plainBm25 = ({ abstracts, questions }: Collection, tokenizer: string): number => {
  const index = new Database(':memory:');
  index.exec(`create virtual table abstracts using fts5 (text, tokenize = '${tokenizer}')`);
  const insert = index.prepare('insert into abstracts (rowid, text) values (?, ?)');
  for (const { number, text } of abstracts) insert.run(Number(number), text);
  const find = index.prepare<[string], { number: number }>(
    'select rowid as number from abstracts where abstracts match ? order by rank limit 10',
  );
  const all = questions.map(({ text, relevant }) => {
    const words = [...new Set(text.toLowerCase().match(/[a-z0-9]+/g))].map((word) => `"${word}"`);
    return ndcgAtTen(
      find.all(words.join(' OR ')).map(({ number }) => String(number)),
      relevant,
    );
  });
  index.close();
  return mean(all);
};

export const addBenchWorkspace = async (store: Store): Promise<WorkspaceId> => {
  const id = createIdSource(systemClock, randomBytes)<'workspace'>();
  const owner = { ownerEmail: 'bench@remote.test', plan: 'unlimited', verifiedAt: Date.now() };
  await store.write((tx) =>
    insertWorkspace(tx, {
      id,
      name: 'Bench',
      slug: 'bench',
      ...owner,
      createdAt: Date.now(),
      hidden: false,
      tier: 'standard',
    }),
  );
  return id;
};

const knowledgeSearch = async ({
  abstracts,
  questions,
}: Collection): Promise<{ quality: number; passages: number }> => {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-bench-'));
  const store = await openStore({ engine: 'sqlite', file: join(folder, 'bench.db') }, { now: Date.now() });
  try {
    const workspaceId = await addBenchWorkspace(store);
    const documents = abstracts.map(({ number, title, text }) => ({ name: number, title, text }));
    const { book, passages } = await storeDocuments(store, workspaceId, documents);
    const all: number[] = [];
    for (const { text, relevant } of questions) {
      const hits = await store.searchPassages({ workspaceId, book, text, limit: 25, nearest: null });
      all.push(ndcgAtTen([...new Set(hits.map(({ url }) => url ?? ''))], relevant));
    }
    return { quality: mean(all), passages };
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

export const measureRetrieval = async (): Promise<Retrieval> => {
  const collection = readCranfield(DATA);
  const { quality, passages } = await knowledgeSearch(collection);
  return {
    passages,
    qualities: [
      { ranking: 'plain BM25', ndcgAtTen: plainBm25(collection, 'unicode61') },
      { ranking: 'BM25, Porter stemming', ndcgAtTen: plainBm25(collection, 'porter unicode61') },
      { ranking: 'knowledge search', ndcgAtTen: quality },
    ],
  };
};
