/** A data file with rows in every table, odd ones among them: made from the schema, so that a new table has some too. */

import { readFileSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Columns, Mapping } from '../../../src/store/mapping.ts';
import { migrate } from '../../../src/store/sqlite/migrate.ts';
import { openConnection } from '../../../src/store/sqlite/open-database.ts';
import * as mappings from '../../../src/store/tables.ts';
import { rounds } from '../long-form.ts';

export const ROWS = 4;
/** Octets: longer than a page of either engine. */
const LONG = rounds(10_000, 100_000);

interface Column {
  name: string;
  type: string;
  pk: number;
  notnull: number;
}

const TABLES = `select name from pragma_table_list where schema = 'main' and type = 'table'
  and name not like 'sqlite_%' and name <> 'migrations' order by name`;

/** Of a file, or of an open connection: all tables with rows of their own. */
export const listTables = (data: Database.Database): string[] => data.prepare<[], string>(TABLES).pluck().all();

/** Columns of JSON, by `table.column`: indexes are made from some. */
const JSON_COLUMNS = new Set(
  (Object.values(mappings) as unknown as Mapping<string, Columns>[])
    .filter((each) => typeof each === 'object' && 'fields' in each)
    .flatMap(({ table, fields }) =>
      fields
        .filter(({ fromStored }) => {
          try {
            fromStored('{');
            return false;
          } catch (error) {
            return error instanceof SyntaxError;
          }
        })
        .map(({ name }) => `${table}.${name}`),
    ),
);

const ODD_TEXTS = ['', 'Übergröße 𝔘 "quoted" \\ \'single\' \n\t', 'a\0b', 'x'.repeat(LONG)];
const ODD_NUMBERS = [0n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)];
const ODD_BYTES = [Buffer.alloc(0), Buffer.from([0, 255, 0]), Buffer.from('\\x00'), Buffer.alloc(LONG, 7)];
const ODD_REALS = [0, 0.1, -1e300, 5e-324];

const fillTable = (data: Database.Database, table: string): void => {
  const { sql } = data
    .prepare<[string], { sql: string }>('select sql from sqlite_schema where name = ?')
    .get(table) ?? {
    sql: '',
  };
  const columns = data.pragma(`table_info(${table})`) as Column[];
  const references = new Map(
    (data.pragma(`foreign_key_list(${table})`) as { from: string; table: string; to: string }[]).map((each) => [
      each.from,
      each,
    ]),
  );
  const list = (text: string) => data.prepare<[string], string>(text).pluck().all(table);
  const indexes = [
    ...list("select sql from sqlite_schema where tbl_name = ? and type = 'index' and sql is not null"),
    ...list("select coalesce(k.name, '') from pragma_index_list(?) i join pragma_index_info(i.name) k"),
  ];
  // A key of PostgreSQL's indexes has 2 704 octets at most.
  const isIndexed = (name: string): boolean => indexes.some((text) => new RegExp(`\\b${name}\\b`).test(text));
  const makeValue = ({ name, type, pk, notnull }: Column, at: number): unknown => {
    const reference = references.get(name);
    if (reference) {
      const to = reference.to ?? 'id';
      return data.prepare<[], unknown>(`select ${to} from ${reference.table} order by ${to}`).pluck().all()[at];
    }
    const choices = new RegExp(`\\(${name} in \\(([^)]*)\\)`).exec(sql)?.[1]?.match(/'[^']*'|-?\d+/g);
    if (choices) {
      const choice = choices[at % choices.length] ?? '';
      return choice.startsWith("'") ? choice.slice(1, -1) : BigInt(choice);
    }
    if (JSON_COLUMNS.has(`${table}.${name}`)) return notnull === 0 && at === 1 ? null : '[]';
    if (notnull === 0 && pk === 0 && at === 0) return null;
    const isShort = pk > 0 || isIndexed(name);
    if (type === 'TEXT') return isShort ? `Ü ${['a', 'B', '𝔘', 'é'][at]} ${name}` : ODD_TEXTS[at];
    if (type === 'INTEGER') return isShort ? BigInt(at * 3 + 1) : ODD_NUMBERS[at];
    if (type === 'REAL') return ODD_REALS[at];
    return isShort ? Buffer.from([255 - at, 0, at, ...Buffer.alloc(13, at * 60)]) : ODD_BYTES[at];
  };
  const insert = data.prepare(
    `insert into ${table} (${columns.map(({ name }) => `"${name}"`).join()}) values (${columns.map(() => '?').join()})`,
  );
  for (let at = 0; at < ROWS; at += 1) insert.run(...columns.map((column) => makeValue(column, at)));
};

const fillTables = (data: Database.Database): void => {
  const triggers = data.prepare<[], { name: string; sql: string }>(
    "select name, sql from sqlite_schema where type = 'trigger'",
  );
  const all = triggers.all();
  for (const { name } of all) data.exec(`drop trigger ${name}`);
  const left = new Set(listTables(data).filter((table) => table !== 'activity_head'));
  while (left.size > 0) {
    const before = left.size;
    for (const table of left) {
      const targets = (data.pragma(`foreign_key_list(${table})`) as { table: string }[]).map((each) => each.table);
      if (targets.some((target) => target !== table && left.has(target))) continue;
      fillTable(data, table);
      left.delete(table);
    }
    if (left.size === before) throw new Error(`Tables that refer to one another: ${[...left].join()}`);
  }
  data.exec('update activity_head set seq = 10');
  data.exec('update knowledge_pages set workspace_id = (select workspace_id from knowledge_books limit 1)');
  for (const { sql } of all) data.exec(sql);
};

/** The whole file, made once by a process: the schema and the rows cost seconds. */
let filled: Buffer | null = null;

/** Makes a new file. Every table has {@link ROWS} rows, the head of the activity log its one. */
export const fillData = (file: string): void => {
  if (filled !== null) {
    writeFileSync(file, filled, { mode: 0o600 });
    return;
  }
  const data = openConnection(file, 'write');
  migrate(data, 1);
  data.transaction(fillTables)(data);
  data.close();
  filled = readFileSync(file);
};

/** All rows of all tables, sorted. */
export const dumpData = (file: string): Record<string, string[]> => {
  const data = new Database(file, { readonly: true });
  const format = (value: unknown): string =>
    Buffer.isBuffer(value) ? `x${value.toString('hex')}` : `${typeof value} ${String(value)}`;
  const rows = (table: string) =>
    data
      .prepare<[], Record<string, unknown>>(`select * from ${table}`)
      .safeIntegers(true)
      .all()
      .map((row) =>
        Object.entries(row)
          .map(([name, value]) => `${name}: ${format(value)}`)
          .join('; '),
      )
      .sort();
  const dump = Object.fromEntries(listTables(data).map((table) => [table, rows(table)]));
  data.close();
  return dump;
};
