/** The tables that a copy takes along: all that the migrations make, but those of the engine's own indexes. */

import Database from 'better-sqlite3';
import { migrations } from '../migrations.ts';

export interface CopiedTable {
  readonly name: string;
  /** Those of the key first, in its order. */
  readonly columns: readonly string[];
  readonly key: readonly string[];
  /** Columns of text and bytes. */
  readonly sized: readonly string[];
  /** The key that the engine gives to a new row; null: it gives none. */
  readonly numbered: string | null;
}

export type CopiedValue = string | number | bigint | Uint8Array | null;
/** In the order of the table's columns. */
export type CopiedRow = readonly CopiedValue[];

export const quoteNames = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

/** The query for the highest key of a table. */
export const lastKeyQuery = ({ name, key }: CopiedTable): string => {
  const order = key.map((column) => `"${column}" desc`).join(', ');
  return `select ${quoteNames(key)} from "${name}" order by ${order} limit 1`;
};

interface Column {
  name: string;
  type: string;
  /** From 1 on, in the order of the primary key; 0: not of it. */
  pk: number;
}

/** Tables that refer to others come after them. */
const sortByReferences = (tables: readonly CopiedTable[], targetsOf: (name: string) => string[]): CopiedTable[] => {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const sorted = new Set<CopiedTable>();
  const visit = (table: CopiedTable): void => {
    if (sorted.has(table)) return;
    for (const name of targetsOf(table.name)) {
      const target = byName.get(name);
      if (target && target !== table) visit(target);
    }
    sorted.add(table);
  };
  tables.forEach(visit);
  return [...sorted];
};

/** Reads them from a schema in memory, made by all migrations: full-text tables are virtual, and left out with theirs. */
const readTables = (): CopiedTable[] => {
  const schema = new Database(':memory:');
  try {
    for (const { up } of migrations) schema.exec(up);
    const list = <R>(text: string, ...values: string[]) => schema.prepare<unknown[], R>(text).all(...values);
    const names = list<{ name: string; wr: number }>(
      `select s.name, t.wr from sqlite_schema s join pragma_table_list(s.name) t
       where t.type = 'table' and s.type = 'table' and s.name not like 'sqlite_%' order by s.rowid`,
    );
    const tables = names.map(({ name, wr }): CopiedTable => {
      const columns = list<Column>('select name, type, pk from pragma_table_info(?)', name);
      const primary = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
      const unique = list<{ name: string }>(
        `select k.name from pragma_index_list(?) i join pragma_index_info(i.name) k
         where i."unique" = 1 and i.partial = 0 order by i.seq, k.seqno`,
        name,
      );
      const key = (primary.length > 0 ? primary : unique).map((each) => each.name);
      const [only] = primary;
      return {
        name,
        columns: [...key, ...columns.map((each) => each.name).filter((each) => !key.includes(each))],
        key,
        sized: columns.filter(({ type }) => type === 'TEXT' || type === 'BLOB').map((each) => each.name),
        numbered: wr === 0 && only && primary.length === 1 && only.type === 'INTEGER' ? only.name : null,
      };
    });
    return sortByReferences(tables, (name) =>
      list<{ table: string }>('select "table" from pragma_foreign_key_list(?)', name).map(({ table }) => table),
    );
  } finally {
    schema.close();
  }
};

let tables: readonly CopiedTable[] | null = null;

/** Read once: the migrations take a tenth of a second. */
export const listCopiedTables = (): readonly CopiedTable[] => {
  tables ??= readTables();
  return tables;
};
