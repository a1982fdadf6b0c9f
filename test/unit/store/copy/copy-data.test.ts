import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import t, { type Test } from 'tap';
import { listCopiedTables } from '../../../../src/store/copy/copied-table.ts';
import { type CopiedPlace, type CopyProgress, copyData } from '../../../../src/store/copy/copy-data.ts';
import { lockDataDirectory } from '../../../../src/store/lock-data.ts';
import { openStore } from '../../../../src/store/open-store.ts';
import * as mappings from '../../../../src/store/tables.ts';
import { dumpData, fillData, listTables, ROWS } from '../../../harness/postgres/filled-data.ts';
import { type PostgresServer, startPostgres } from '../../../harness/postgres/postgres-server.ts';

/** Places for two files, each in a data directory of its own. */
const placesIn = (t: Test): { file: string; place: CopiedPlace }[] => {
  const folder = t.testdir({ one: {}, other: {} });
  return ['one', 'other'].map((name) => {
    const directory = join(folder, name);
    const file = join(directory, 'x.db');
    return { file, place: { location: { engine: 'sqlite', file }, directory } };
  });
};
type Place = ReturnType<typeof placesIn>[number];

let server: PostgresServer;
t.before(async () => {
  server = await startPostgres();
});
t.teardown(() => server[Symbol.asyncDispose]());

let databases = 0;
const newDatabase = async (): Promise<{ place: CopiedPlace; query: (text: string) => Promise<unknown[]> }> => {
  databases += 1;
  const name = `copy${databases}`;
  const administer = async (url: string, text: string): Promise<unknown[]> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  await administer(server.url, `create database ${name}`);
  const url = server.url.replace('/postgres?', `/${name}?`);
  return { place: { location: { engine: 'postgres', url }, directory: null }, query: (text) => administer(url, text) };
};

const stopAt = (step: CopyProgress['step'], table: string) => (progress: CopyProgress) => {
  if (progress.step === step && progress.table === table) throw new Error('stopped');
};

t.test('every table is copied, both ways, with odd values', async (t) => {
  const [from, back] = placesIn(t) as [Place, Place];
  fillData(from.file);
  const data = new Database(from.file);
  const tables = listTables(data);
  t.same(
    listCopiedTables()
      .map(({ name }) => name)
      .sort(),
    tables,
    'the list has each table of the file',
  );
  const mapped = Object.values(mappings).flatMap((each) => ('table' in each ? [each.table as string] : []));
  t.same([...new Set([...mapped, 'removed_texts'])].sort(), tables, 'and each that the store has a mapping of');
  for (const table of tables) {
    const count = data.prepare(`select count(*) from ${table}`).pluck().get();
    t.equal(count, table === 'activity_head' ? 1 : ROWS, `${table} has rows`);
  }
  data.close();

  const database = await newDatabase();
  const there = await copyData({ from: from.place, to: database.place }, 2);
  t.same(Object.keys(there.rows).sort(), tables);
  t.equal(there.isResumed, false);
  t.ok(Object.keys(there.replaced).length > 10, 'U+0000 is told by table and column');
  t.equal(there.replaced['notes.body'], 1);

  const returned = await copyData({ from: database.place, to: back.place }, 3);
  t.same(returned.rows, there.rows);
  t.same(returned.replaced, {});
  const expected = JSON.parse(JSON.stringify(dumpData(from.file)).replaceAll('\\u0000', '\ufffd')) as object;
  t.same(dumpData(back.file), expected);
  const copy = new Database(back.file);
  t.same(copy.pragma('foreign_key_check'), []);
  t.equal(copy.prepare("select count(*) from sqlite_schema where type = 'trigger'").pluck().get(), 7);
  copy.close();

  t.same(await database.query('select count(*)::int as count from message_words'), [{ count: ROWS }]);
  t.same(await database.query('select count(*)::int as count from passage_words'), [{ count: ROWS }]);
  t.same(await database.query("select nextval(pg_get_serial_sequence('messages', 'seq'))::int as next"), [
    { next: 11 },
  ]);
  await t.rejects(database.query('delete from activity where seq > 0'), /only retention removes/, 'the triggers stand');
});

t.test('a copy that was interrupted goes on, whatever the step was', async (t) => {
  const [from, back] = placesIn(t) as [Place, Place];
  fillData(from.file);
  const database = await newDatabase();
  const ways = [
    { from: from.place, to: database.place },
    { from: database.place, to: back.place },
  ];
  for (const way of ways) {
    const began: string[] = [];
    for (const at of ['copied threads', 'copied messages', 'compared messages', 'indexed contacts'] as const) {
      const onProgress = ({ step, table }: CopyProgress) => {
        began.push(`${step} ${table}`);
        if (`${step} ${table}` === at) throw new Error(at);
      };
      await t.rejects(copyData(way, 2, onProgress), { message: at });
      await t.rejects(openStore(way.to.location, { now: 3 }), {
        name: 'SchemaError',
        message: /a copy that is not whole.*storage copy/,
      });
    }
    t.equal(began.filter((each) => each === 'copied agents').length, 1, 'nothing is copied twice');
    t.match(await copyData(way, 2), { isResumed: true });
    await t.rejects(copyData(way, 2), { name: 'CopyError', message: /has data already.*no copy that was interrupted/ });
  }
  const expected = JSON.parse(JSON.stringify(dumpData(from.file)).replaceAll('\\u0000', '\ufffd')) as object;
  t.same(dumpData(back.file), expected);
  for (const { to } of ways) await (await openStore(to.location, { now: 3, schema: 'require' })).close();
});

t.test('a copy that is not the same is told by table and key', async (t) => {
  const [from] = placesIn(t) as [Place, Place];
  fillData(from.file);
  const { place, query } = await newDatabase();
  const way = { from: from.place, to: place };
  await t.rejects(copyData(way, 2, stopAt('compared', 'settings')), { message: 'stopped' });
  await query("update notes set body = body || '.' where seq = 4");
  await query('delete from usage where period = (select min(period) from usage)');
  await query("insert into embedding_models (number, name, dimensions) values (2, 'm', 3)");
  const said = [
    /usage \(scope \w+, period .*\) is not in postgres(.|\n)*Empty it, and copy again/,
    /notes \(seq 4\) differs in body\n/,
    /embedding_models \(number 2\) is in postgres.* alone\n/,
  ];
  for (const _run of [1, 2]) {
    const fault = await copyData(way, 2).catch((error: unknown) => error);
    for (const message of said) t.match(fault, { name: 'CopyError', message });
  }
});

t.test('what cannot be copied is refused', async (t) => {
  const [from, back] = placesIn(t) as [Place, Place];
  const { place, query } = await newDatabase();
  const way = { from: from.place, to: place };
  await t.rejects(copyData(way, 2), { name: 'CopyError', message: /no data yet/ });
  fillData(from.file);

  const lock = lockDataDirectory(from.place.directory ?? '');
  await t.rejects(copyData(way, 2), { name: 'LockedError' });
  lock.release();

  const data = new Database(from.file);
  data.exec("update settings set name = 'a' || char(0) where name = (select min(name) from settings)");
  await t.rejects(copyData(way, 2), { name: 'CopyError', message: /settings \(name a.*U\+0000 in its key/ });
  data.exec("update settings set name = replace(name, char(0), '')");
  data.exec('delete from migrations where name = (select max(name) from migrations)');
  await t.rejects(copyData(way, 2), { name: 'SchemaError', message: /older version/ });
  data.close();

  const daemon = await openStore((await newDatabase()).place.location, { now: 1, lockIn: join(back.file, '..', 'd') });
  await daemon.close();
  const served = await newDatabase();
  const serving = await openStore(served.place.location, { now: 1, lockIn: join(back.file, '..', 'e') });
  await t.rejects(copyData({ from: served.place, to: back.place }, 2), { name: 'LockedError' });
  await t.rejects(copyData({ from: from.place, to: served.place }, 2), { name: 'LockedError' });
  await serving.close();
  t.same(await query('select count(*)::int as count from notes'), [{ count: 0 }]);
});
