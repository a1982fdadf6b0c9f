/** A data file as a side of a copy. */

import { existsSync } from 'node:fs';
import { type CopiedSide, type IndexTx, OCTETS_AT_ONCE, ROWS_AT_ONCE } from '../copy/copied-side.ts';
import { type CopiedRow, type CopiedTable, type CopiedValue, lastKeyQuery, quoteNames } from '../copy/copied-table.ts';
import { COPY_MARK } from '../migrations/schema-state.ts';
import { CopyError } from '../store-errors.ts';
import { openDb } from './dialect.ts';
import { fts5Rows } from './fts5-rows.ts';
import { migrate, readSchemaState } from './migrate.ts';
import { type Connection, openConnection } from './open-database.ts';

const INDEX_TABLES = { passages: 'knowledge_index', contacts: 'contact_terms', notes: 'note_terms' } as const;

const marks = ({ length }: readonly unknown[]): string => Array.from({ length }, () => '?').join(', ');

/** In a transaction: the triggers of a table stand again when it ends, whatever its end. */
const withoutTriggers = (connection: Connection, { name }: CopiedTable, work: () => void): void => {
  const triggers = connection
    .prepare<[string], { name: string; sql: string }>(
      `select name, sql from sqlite_schema where type = 'trigger' and tbl_name = ?`,
    )
    .all(name);
  for (const trigger of triggers) connection.exec(`drop trigger ${trigger.name}`);
  work();
  for (const trigger of triggers) connection.exec(trigger.sql);
};

/** @param role `from`: all is read as one moment has it */
export const openCopiedFile = (file: string, role: 'from' | 'to', tables: readonly CopiedTable[]): CopiedSide => {
  if (role === 'from' && !existsSync(file)) throw new CopyError(`There is no data yet: ${file}`);
  const connection = openConnection(file, role === 'from' ? 'read' : 'write');
  const db = openDb(connection, {});
  const tx: IndexTx = {
    db,
    // The daemon's indexer follows the texts.
    addTexts: async () => {},
    passageIndex: fts5Rows(db, 'knowledge_index', ['title', 'heading', 'lead', 'body']),
  };
  if (role === 'from') connection.exec('begin');

  const select = (text: string, ...values: CopiedValue[]) =>
    connection
      .prepare<CopiedValue[], CopiedRow>(text)
      .raw(true)
      .safeIntegers(true)
      .iterate(...values);
  const selectNumber = (text: string, ...values: CopiedValue[]): bigint => {
    const [row] = [...select(text, ...values)];
    return (row?.[0] as bigint | null | undefined) ?? 0n;
  };
  const inTransaction = (work: () => void): void => connection.transaction(work).immediate();

  return {
    name: file,
    schema: async () => readSchemaState(connection),
    begin: async (now) =>
      inTransaction(() => {
        migrate(connection, now);
        for (const table of tables) {
          withoutTriggers(connection, table, () => connection.exec(`delete from "${table.name}"`));
        }
        connection.prepare('insert into migrations (name, applied_at, additive) values (?, ?, 0)').run(COPY_MARK, now);
      }),
    readRows: async ({ name, columns, key }, after) => {
      const behind = after === null ? '' : `where (${quoteNames(key)}) > (${marks(key)})`;
      const rows: CopiedRow[] = [];
      let octets = 0;
      for (const row of select(
        `select ${quoteNames(columns)} from "${name}" ${behind} order by ${quoteNames(key)} limit ${ROWS_AT_ONCE}`,
        ...(after ?? []).slice(0, key.length),
      )) {
        rows.push(row);
        for (const value of row)
          octets += typeof value === 'object' || typeof value === 'string' ? (value?.length ?? 0) : 0;
        if (octets > OCTETS_AT_ONCE) break;
      }
      return rows;
    },
    findLastKey: async (table) => [...select(lastKeyQuery(table))][0] ?? null,
    insertRows: async (table, rows) =>
      inTransaction(() =>
        withoutTriggers(connection, table, () => {
          const { name, columns } = table;
          const insert = connection.prepare(
            `insert into "${name}" (${quoteNames(columns)}) values (${marks(columns)})`,
          );
          for (const row of rows) insert.run(...row);
        }),
      ),
    findLastNumber: async ({ name, numbered }) => {
      const numbers = [
        selectNumber(`select max("${numbered}") from "${name}"`),
        selectNumber('select seq from sqlite_sequence where name = ?', name),
        // Removed texts keep the highest number of mail.
        name === 'messages' ? selectNumber('select max(seq) from removed_texts') : 0n,
      ];
      return numbers.reduce((one, other) => (one > other ? one : other));
    },
    index: async (work) => {
      connection.exec('begin immediate');
      try {
        const result = await work(tx);
        connection.exec('commit');
        return result;
      } catch (error) {
        if (connection.inTransaction) connection.exec('rollback');
        throw error;
      }
    },
    findLastIndexed: async (index) =>
      index === 'mail'
        ? null
        : Number(selectNumber(`select rowid from ${INDEX_TABLES[index]} order by rowid desc limit 1`)),
    finish: async (numbers) =>
      inTransaction(() => {
        for (const [{ name, numbered }, last] of numbers) {
          connection.prepare('update sqlite_sequence set seq = max(seq, ?) where name = ?').run(last, name);
          if (name === 'messages' && last > selectNumber(`select max("${numbered}") from messages`))
            connection.prepare('insert into removed_texts (seq) values (?) on conflict do nothing').run(last);
        }
        connection.prepare('delete from migrations where name = ?').run(COPY_MARK);
      }),
    close: async () => {
      connection.close();
    },
  };
};
