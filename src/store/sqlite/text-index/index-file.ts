/**
 * The full-text index in a file of its own beside the data file. It is derived from message_texts: a missing, damaged
 * or foreign index is made again, and no backup contains it.
 */

import { existsSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { type Connection, openConnection } from '../open-database.ts';

/** Begins with the data file's name, so that its mode is kept private with the others (private-file.ts). */
export const indexFileOf = (dataFile: string): string => `${dataFile}-words`;

/** Raised with every change of {@link DEFINITION}, and of words (search/match-words.ts): a file of another form is made again. */
const FORMAT = 5;

/**
 * Indexes words, and their stems where they differ. match-words.ts cuts and folds both, so the tokenizer only splits
 * at spaces. No texts (FTS5 section 4.4.3.2): a row is removed by its number. No positions (section 4.6, `detail`),
 * which are more than half of an index: phrases are verified by the text. No lists of prefixes (section 4.2): they were
 * half of the writing, and a prefix that many words have is found in 4 ms among 60 000 mails without them.
 *
 * 16 segments are merged at once (section 6.1, `automerge`): a word is written half as often as with the default of 4.
 */
const DEFINITION = `
create virtual table message_index using fts5 (
  mailbox, subject, sender, recipients, attachments, body, subject_stems, stems,
  content = '', contentless_delete = 1, detail = column, tokenize = 'ascii'
);
insert into message_index (message_index, rank) values ('automerge', 16);
insert into message_index (message_index, rank) values ('crisismerge', 32);
-- All texts up to position are in the index. The anchor is the last of their messages, by which other data is noticed.
create table state (
  id integer primary key check (id = 1), position integer not null, anchor integer, anchor_id blob
) strict;
insert into state values (1, 0, null, null);
pragma user_version = ${FORMAT};`;

/** Pages in memory, in KiB: a batch is written out once. */
const CACHE_KIB = -16_384;

export interface IndexState {
  readonly position: number;
  readonly anchor: number | null;
  readonly anchorId: Uint8Array | null;
}

const STATE = 'select position, anchor, anchor_id as anchorId from state';

/** Codes of a file that has to be made again; SQLITE_ERROR is a table that is not there. */
const BROKEN = /^SQLITE_(CORRUPT|NOTADB|ERROR|IOERR_SHORT_READ|CANTOPEN|FORMAT)/;
export const isBroken = (error: unknown): boolean => error instanceof Database.SqliteError && BROKEN.test(error.code);

export const removeIndexFile = (dataFile: string): void => {
  for (const side of ['', '-wal', '-shm']) rmSync(`${indexFileOf(dataFile)}${side}`, { force: true });
};

const isOfThisForm = (connection: Connection): boolean =>
  connection.pragma('user_version', { simple: true }) === FORMAT;

const create = (file: string): Connection => {
  const connection = openConnection(file, 'write');
  try {
    connection.transaction(() => connection.exec(DEFINITION))();
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
};

const openThere = (file: string): Connection | null => {
  if (!existsSync(file)) return null;
  let connection: Connection | null = null;
  try {
    connection = openConnection(file, 'write');
    if (isOfThisForm(connection) && connection.prepare(STATE).get()) return connection;
  } catch (error) {
    if (!isBroken(error)) throw error;
  }
  connection?.close();
  return null;
};

/** Opens the index to write to it; makes an empty one where none can be used. */
export const openIndexForWriting = (dataFile: string): Connection => {
  const file = indexFileOf(dataFile);
  let connection = openThere(file);
  if (connection === null) {
    removeIndexFile(dataFile);
    connection = create(file);
  }
  // A commit does not sync, a checkpoint does: no check would notice a page that is half on the disk.
  connection.pragma('synchronous = NORMAL');
  connection.pragma(`cache_size = ${CACHE_KIB}`);
  return connection;
};

/** Null where none can be used. */
export const openIndexForReading = (dataFile: string): Connection | null => {
  let connection: Connection | null = null;
  try {
    connection = openConnection(indexFileOf(dataFile), 'read');
    if (isOfThisForm(connection)) return connection;
  } catch {
    // The indexer makes it again, and tells why it cannot.
  }
  connection?.close();
  return null;
};

/** @returns reads how far the index is; null: it is of other data */
export const createStateReader = (data: Connection, index: Connection): (() => IndexState | null) => {
  const read = index.prepare<[], IndexState>(STATE);
  const findId = data.prepare<[number | null], Uint8Array>('select id from messages where seq = ?').pluck();
  const isRemoved = data.prepare<[number | null], 1>('select 1 from removed_texts where seq = ?').pluck();
  const findLast = data
    .prepare<[], number>(
      'select coalesce(max(seq), 0) from (select max(seq) as seq from messages union all select max(seq) from removed_texts)',
    )
    .pluck();
  return () => {
    const state = read.get();
    if (!state || state.position > (findLast.get() ?? 0)) return null;
    if (state.anchor === null) return state;
    const id = findId.get(state.anchor);
    const fits = id ? Buffer.compare(id, state.anchorId ?? id) === 0 : isRemoved.get(state.anchor) === 1;
    return fits ? state : null;
  };
};
