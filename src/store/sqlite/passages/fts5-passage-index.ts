/** The FTS5 index of passages. It holds no text: the terms are made elsewhere, and a row is removed by its number. */

import { CompiledQuery } from 'kysely';
import type { PassageIndex, PassageTerms } from '../../search/passages/passage-search.ts';
import type { Db } from '../../store.ts';

const COLUMNS = ['title', 'heading', 'lead', 'body'] as const satisfies (keyof PassageTerms)[];
const ADD = `insert into knowledge_index (rowid, ${COLUMNS.join(', ')}) values (?, ?, ?, ?, ?)`;
/** FTS5 section 4.4.3.2: a contentless table with contentless_delete. */
const REMOVE = 'delete from knowledge_index where rowid = ?';

export const fts5PassageIndex = (db: Db): PassageIndex => ({
  add: async (seq, terms) => {
    await db.executeQuery(CompiledQuery.raw(ADD, [seq, ...COLUMNS.map((column) => terms[column])]));
  },
  remove: async (seq) => {
    await db.executeQuery(CompiledQuery.raw(REMOVE, [seq]));
  },
});
