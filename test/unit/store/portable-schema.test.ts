import Database from 'better-sqlite3';
import t, { type Test } from 'tap';
import { migrations } from '../../../src/store/migrations.ts';
import { openTranslatedDatabase } from '../../harness/postgres/translated-database.ts';

interface Column {
  table: string;
  name: string;
  type: string;
  required: boolean;
  default: string | null;
}

const TYPES: Readonly<Record<string, string>> = {
  BLOB: 'bytea',
  INTEGER: 'bigint',
  REAL: 'double precision',
  TEXT: 'text',
};

/** The full-text tables are the engine's own. */
const OWN = `s.type = 'table' and s.name not like 'sqlite_%' and s.sql like '%strict%'`;

const sqliteColumns = `
  select s.name as "table", c.name, c.type, c."notnull" = 1 or c.pk > 0 as required, c.dflt_value as "default"
  from sqlite_schema s join pragma_table_info(s.name) c where ${OWN} order by s.name, c.name`;
const POSTGRES_OWN = `('migrations', 'commits', 'boxes', 'drawn_requests', 'message_words', 'passage_words', 'contact_terms', 'note_terms')`;
const postgresColumns = `
  select c.table_name as "table", c.column_name as name, c.data_type as type, c.is_nullable = 'NO' as required,
    c.column_default as "default"
  from information_schema.columns c where c.table_schema = 'public' and c.table_name not in ${POSTGRES_OWN} order by 1, 2`;

/** Key columns, in the order of the key; an expression is null. */
const sqliteIndexes = `
  select s.name as "table", i.name, i."unique" = 1 as "unique", i.partial = 1 as partial,
    (select group_concat(coalesce(k.name, '?'), ' ' order by k.seqno) from pragma_index_xinfo(i.name) k where k.key = 1) as columns,
    i.origin
  from sqlite_schema s join pragma_index_list(s.name) i where ${OWN}`;
const postgresIndexes = `
  select t.relname as "table", n.relname as name, i.indisunique as "unique", i.indpred is not null as partial,
    (select string_agg(coalesce(a.attname, '?'), ' ' order by k.at)
     from unnest(i.indkey) with ordinality k (number, at)
     left join pg_attribute a on a.attrelid = t.oid and a.attnum = k.number and k.number > 0) as columns,
    case when i.indisprimary then 'pk' when c.contype = 'u' then 'u' else 'c' end as origin
  from pg_index i join pg_class t on t.oid = i.indrelid join pg_class n on n.oid = i.indexrelid
    left join pg_constraint c on c.conindid = i.indexrelid and c.contype in ('p', 'u')
  where t.relnamespace = 'public'::regnamespace and t.relname not in ${POSTGRES_OWN}`;

const sqliteReferences = `
  select s.name as "table", f."from" as name, f."table" || '.' || f."to" as target, f.on_delete as act
  from sqlite_schema s join pragma_foreign_key_list(s.name) f where ${OWN} order by 1, 2`;
const postgresReferences = `
  select t.relname as "table", a.attname as name, r.relname || '.' || b.attname as target,
    case c.confdeltype when 'c' then 'CASCADE' else 'NO ACTION' end as act
  from pg_constraint c join pg_class t on t.oid = c.conrelid join pg_class r on r.oid = c.confrelid
    join pg_attribute a on a.attrelid = t.oid and a.attnum = c.conkey[1]
    join pg_attribute b on b.attrelid = r.oid and b.attnum = c.confkey[1]
  where c.contype = 'f' order by 1, 2`;

interface Index {
  table: string;
  name: string;
  unique: boolean;
  partial: boolean;
  columns: string;
  origin: 'pk' | 'u' | 'c';
}

/** One line for each: an index that a key makes has no name of its own. */
const formatIndex = ({ table, name, unique, partial, columns, origin }: Index): string =>
  `${table} ${origin === 'c' ? name : origin} (${columns})${unique ? ' unique' : ''}${partial ? ' partial' : ''}`;

const formatDefault = (text: string | null): string | null => text?.replace(/::[\w ]+$/, '') ?? null;

const readSqlite = (t: Test) => {
  const database = new Database(':memory:');
  t.teardown(() => database.close());
  for (const { up } of migrations) database.exec(up);
  const all = <R>(text: string) => database.prepare<[], R>(text).all();
  const columns = all<Column>(sqliteColumns).map((column) => ({
    ...column,
    type: TYPES[column.type],
    required: Boolean(column.required),
  }));
  // The rowid has no index of its own, and is a primary key all the same.
  const rowids = all<{ table: string; name: string }>(
    `select s.name as "table", c.name from sqlite_schema s join pragma_table_info(s.name) c
     where ${OWN} and c.pk = 1 and c.type = 'INTEGER'
       and not exists (select 1 from pragma_index_list(s.name) where origin = 'pk')`,
  ).map(({ table, name }) => `${table} pk (${name}) unique`);
  const indexes = [...all<Index>(sqliteIndexes).map(formatIndex), ...rowids].sort();
  return { columns, indexes, references: all(sqliteReferences) };
};

t.test('the tables, keys and indexes are the same on PostgreSQL', async (t) => {
  const expected = readSqlite(t);
  const client = await openTranslatedDatabase(t);
  const all = async <R extends object>(text: string) => (await client.query<R>(text)).rows;
  const columns = (await all<Column>(postgresColumns)).map((column) => ({
    ...column,
    default: formatDefault(column.default),
  }));
  t.ok(columns.length > 500, `${columns.length} columns`);
  t.same(columns, expected.columns);
  t.same((await all<Index>(postgresIndexes)).map(formatIndex).sort(), expected.indexes);
  t.same(await all(postgresReferences), expected.references);
});
