/** A database as a side of a copy. */

import pg from 'pg';
import { formatStorage, type StorageLocation } from '../../config/config-values.ts';
import { type CopiedSide, type IndexTx, OCTETS_AT_ONCE, ROWS_AT_ONCE } from '../copy/copied-side.ts';
import { type CopiedRow, type CopiedTable, type CopiedValue, lastKeyQuery, quoteNames } from '../copy/copied-table.ts';
import { COPY_MARK } from '../migrations/schema-state.ts';
import { createClient, cut, openDb, type Sockets } from './connections.ts';
import { lockDatabase } from './daemon-lock.ts';
import { migrate, readSchemaState } from './migrate.ts';
import { MESSAGE_INDEX } from './own-schema.ts';
import { insertMessageWords } from './search/message-words.ts';
import { createPassageIndex } from './search/passage-words.ts';
import { requireServer, toServerError } from './server-state.ts';

const INDEX_TABLES = {
  mail: 'message_words',
  passages: 'passage_words',
  contacts: 'contact_terms',
  notes: 'note_terms',
} as const;

/** Whole numbers as they are: a double would round the largest. */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig;

const marksFrom = (first: number, { length }: readonly unknown[]): string =>
  Array.from({ length }, (_, at) => `$${first + at}`).join(', ');

const TRIGGERED = `select distinct c.relname from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace`;

/** @param role `from`: all is read as one moment has it */
export const openCopiedDatabase = async (
  location: Extract<StorageLocation, { engine: 'postgres' }>,
  role: 'from' | 'to',
  tables: readonly CopiedTable[],
): Promise<CopiedSide> => {
  const client = createClient(location.url);
  /** Of the query builder, which reads numbers as the store does. */
  const indexing = createClient(location.url);
  const ofLock: Sockets = new Set();
  const lock = await openWithLock();
  const db = openDb(indexing);
  const tx: IndexTx = {
    db,
    addTexts: (texts) => insertMessageWords(db, texts),
    passageIndex: createPassageIndex(db),
  };

  async function openWithLock() {
    try {
      await client.connect();
      await client.query('set statement_timeout = 0');
      await requireServer(client, location.url);
      const server = {
        createClient: () => createClient(location.url, { sockets: ofLock }),
        onSilent: () => cut(ofLock),
      };
      const held = await lockDatabase(server, () => {});
      await indexing.connect();
      await indexing.query('set statement_timeout = 0');
      if (role === 'from') await client.query('begin isolation level repeatable read read only');
      return held;
    } catch (error) {
      await Promise.all([client.end(), indexing.end()]);
      throw toServerError(error, formatStorage(location));
    }
  }

  const select = async (text: string, values: readonly CopiedValue[] = []): Promise<CopiedRow[]> =>
    (await client.query<CopiedValue[]>({ text, values: [...values], rowMode: 'array', types })).rows;
  const selectNumber = async (text: string, values: readonly CopiedValue[] = []): Promise<bigint> =>
    BigInt(((await select(text, values))[0]?.[0] as bigint | null) ?? 0);

  const inTransaction = async <T>(by: pg.Client, work: () => Promise<T>): Promise<T> => {
    lock.require();
    await by.query('begin');
    try {
      const result = await work();
      await by.query('commit');
      return result;
    } catch (error) {
      await by.query('rollback').catch(() => undefined);
      throw error;
    }
  };

  let triggered: Set<CopiedValue | undefined> | null = null;
  const withoutTriggers = async ({ name }: CopiedTable, work: () => Promise<unknown>): Promise<void> => {
    triggered ??= new Set((await select(TRIGGERED)).map(([table]) => table));
    const isTriggered = triggered.has(name);
    if (isTriggered) await client.query(`alter table "${name}" disable trigger user`);
    await work();
    if (isTriggered) await client.query(`alter table "${name}" enable trigger user`);
  };

  /** How many of the next rows have no more octets than are read at once. */
  const countFitting = async ({ name, key, sized }: CopiedTable, behind: string, values: readonly CopiedValue[]) => {
    const size = sized.map((column) => `coalesce(octet_length("${column}"), 0)`).join(' + ') || '0';
    const next = `select ${quoteNames(key)}, ${size} as size from "${name}" ${behind} order by ${quoteNames(key)} limit ${ROWS_AT_ONCE}`;
    const totals = `select sum(size) over (order by ${quoteNames(key)}) as total from (${next}) next`;
    return selectNumber(`select count(*) from (${totals}) totals where total <= ${OCTETS_AT_ONCE}`, values);
  };

  return {
    name: formatStorage(location),
    schema: () => readSchemaState(client),
    begin: (now) =>
      migrate(client, now, async () => {
        for (const table of tables) {
          await withoutTriggers(table, () => client.query(`delete from "${table.name}"`));
        }
        await client.query('drop index message_words_by_word');
        const mark = 'insert into migrations (name, applied_at, additive) values ($1, $2, 0)';
        await client.query(mark, [COPY_MARK, now]);
      }),
    readRows: async (table, after) => {
      const { name, columns, key } = table;
      const behind = after === null ? '' : `where (${quoteNames(key)}) > (${marksFrom(1, key)})`;
      const values = (after ?? []).slice(0, key.length);
      const fitting = await countFitting(table, behind, values);
      const text = `select ${quoteNames(columns)} from "${name}" ${behind} order by ${quoteNames(key)} limit ${fitting || 1}`;
      return select(text, values);
    },
    findLastKey: async (table) => (await select(lastKeyQuery(table)))[0] ?? null,
    insertRows: (table, rows) =>
      inTransaction(client, () =>
        withoutTriggers(table, () => {
          const { name, columns } = table;
          const lists = rows.map((_, at) => `(${marksFrom(1 + at * columns.length, columns)})`).join(', ');
          const text = `insert into "${name}" (${quoteNames(columns)}) values ${lists}`;
          // Prepared for whole batches: the rest comes once.
          const named = rows.length === ROWS_AT_ONCE ? { name: `copy ${name}` } : {};
          return client.query({ ...named, text, values: rows.flat() });
        }),
      ),
    findLastNumber: ({ name, numbered }) =>
      selectNumber('select pg_sequence_last_value(pg_get_serial_sequence($1, $2)::regclass)', [`"${name}"`, numbered]),
    index: (work) => inTransaction(indexing, () => work(tx)),
    findLastIndexed: async (index) => Number(await selectNumber(`select max(seq) from ${INDEX_TABLES[index]}`)),
    finish: async (numbers) => {
      await inTransaction(client, async () => {
        await client.query(MESSAGE_INDEX);
        for (const [{ name, numbered }, last] of numbers) {
          if (last > 0n)
            await client.query('select setval(pg_get_serial_sequence($1, $2)::regclass, $3)', [
              `"${name}"`,
              numbered,
              last,
            ]);
        }
        await client.query('delete from migrations where name = $1', [COPY_MARK]);
      });
      // The planner knows nothing of rows that came within minutes.
      await client.query('analyze');
    },
    close: async () => {
      await Promise.all([client.end(), indexing.end()]);
      await lock.release();
    },
  };
};
