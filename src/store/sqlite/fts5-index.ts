/**
 * The FTS5 index of message_texts. It holds no text of its own (external content): a row is removed by the very text that
 * was added, so text and index change in one transaction.
 */

import { CompiledQuery } from 'kysely';
import type { IndexedText, TextIndex } from '../search/full-text-search.ts';
import type { Db } from '../store.ts';

const COLUMNS = ['mailbox', 'subject', 'sender', 'recipients', 'attachments', 'body'] as const;
const MARKS = COLUMNS.map(() => '?').join(', ');
const ADD = `insert into message_index (rowid, ${COLUMNS.join(', ')}) values (?, ${MARKS})`;
/** FTS5 section 4.4.3: a command in the column of the table's own name. */
const REMOVE = `insert into message_index (message_index, rowid, ${COLUMNS.join(', ')}) values ('delete', ?, ${MARKS})`;

export const fts5Index = (db: Db): TextIndex => {
  const run = async (sql: string, seq: number, text: IndexedText): Promise<void> => {
    await db.executeQuery(CompiledQuery.raw(sql, [seq, ...COLUMNS.map((column) => text[column])]));
  };
  return { add: (seq, text) => run(ADD, seq, text), remove: (seq, text) => run(REMOVE, seq, text) };
};
