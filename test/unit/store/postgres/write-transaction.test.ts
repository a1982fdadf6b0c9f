import { execFileSync } from 'node:child_process';
import net from 'node:net';
import { CompiledQuery, sql } from 'kysely';
import t from 'tap';
import { systemClock } from '../../../../src/kernel/clock.ts';
import { engineOf } from '../../../../src/store/engine.ts';
import { insertRawMessage } from '../../../../src/store/mail/raw-messages.ts';
import { openStore } from '../../../../src/store/open-store.ts';
import { createClient } from '../../../../src/store/postgres/connections.ts';
import type { Db, Store, Tx } from '../../../../src/store/store.ts';
import { startPostgres } from '../../../harness/postgres/postgres-server.ts';

const server = await startPostgres();
t.teardown(() => server[Symbol.asyncDispose]());

const open = (url = server.url): Promise<Store> => openStore({ engine: 'postgres', url }, { now: systemClock.now() });

const post = (tx: Tx, name: string): (() => readonly unknown[]) =>
  engineOf(tx.db).post(CompiledQuery.raw('insert into settings (name, value) values ($1, $2) returning name'), [
    name,
    Buffer.from(name),
  ]);

/** Names, with the transaction that wrote each. */
const readRows = async (db: Db, beginning: string): Promise<Map<string, string>> => {
  const { rows } = await sql<{ name: string; by: string }>`
    select name, xmin::text as by from settings where name like ${`${beginning}%`} order by name`.execute(db);
  return new Map(rows.map(({ name, by }) => [name, by]));
};

t.test('the server compiles no query, not even one that reads a whole table', async (t) => {
  const client = createClient(server.url);
  await client.connect();
  t.teardown(() => client.end());
  await client.query('create temporary table one_row (seq bigint)');
  const { rows } = await client.query('explain (analyze) select seq + 1 from one_row where seq > 0');
  t.match(JSON.stringify(rows), 'Seq Scan');
  t.notMatch(JSON.stringify(rows), 'JIT');
});

t.test('units that are ready together share a transaction', async (t) => {
  const store = await open();
  const names = ['shared 1', 'shared 2', 'shared 3'];
  const results = await Promise.all(
    names.map((name) =>
      store.write(async (tx) => {
        post(tx, name);
        return name;
      }),
    ),
  );
  t.same(results, names);
  const rows = await readRows(store.read, 'shared');
  t.same([...rows.keys()], names);
  t.equal(new Set(rows.values()).size, 1, 'one commit');
  await store.close();
});

t.test('a unit that fails in a shared transaction takes back its own work and no other', async (t) => {
  const store = await open();
  await store.write(async (tx) => post(tx, 'test taken'));
  const effects: string[] = [];
  const write = (name: string, work: (tx: Tx) => Promise<void>) =>
    store.write(async (tx) => {
      tx.afterCommit(() => effects.push(name));
      post(tx, `test ${name}`);
      await work(tx);
    });
  const outcomes = await Promise.allSettled([
    write('first', async () => {}),
    write('throws', async () => {
      throw new Error('changed my mind');
    }),
    write('asks', async (tx) => {
      await sql`select 1 / 0`.execute(tx.db);
    }),
    write('is not told', async (tx) => void post(tx, 'test taken')),
    write('last', async (tx) => {
      t.ok((await readRows(tx.db, 'test')).has('test last'), 'what a unit has sent is there for what it asks');
    }),
  ]);
  t.same(
    outcomes.map((each) => (each.status === 'rejected' ? String(each.reason.message).slice(0, 40) : each.status)),
    ['fulfilled', 'changed my mind', 'division by zero', 'duplicate key value violates unique cons', 'fulfilled'],
    'each by its own fault',
  );
  t.same([...(await readRows(store.read, 'test')).keys()], ['test first', 'test last', 'test taken']);
  t.same(effects, ['first', 'last'], 'what did not happen has no effects');
  await store.close();
});

t.test('rows are numbered without waiting for the server, and no number is given twice', async (t) => {
  const [store, other] = [await open(), await open()];
  const insert = (tx: Tx) => insertRawMessage(tx, { mime: Buffer.from('a mail'), size: 6 });
  const three = (of: Store) =>
    of.write(async (tx) => [await insert(tx), ...(await Promise.all([insert(tx), insert(tx)]))]);
  const [first = 0, ...rest] = (await Promise.all([three(store), three(store)])).flat();
  t.same(
    rest,
    [1, 2, 3, 4, 5].map((more) => first + more),
    'over the units of a transaction',
  );
  const failing = store.write(async (tx) => {
    await insert(tx);
    await sql`select 1 / 0`.execute(tx.db);
  });
  await t.rejects(failing);
  const ofOther = await three(other);
  const ofServer = await store.write((tx) =>
    sql<{ id: number }>`insert into raw_messages (mime, size) values ('', 0) returning id`.execute(tx.db),
  );
  const last = await three(store);
  const all = [first, ...rest, ...ofOther, ofServer.rows[0]?.id ?? 0, ...last];
  t.same(
    all,
    [...new Set(all)].toSorted((a, b) => a - b),
    'each above those before it',
  );
  const rows = await store.read.selectFrom('raw_messages').select('id').orderBy('id').execute();
  t.same(
    rows.map(({ id }) => id),
    all,
  );
  for (const each of [store, other]) await each.close();
});

const COMMIT = Buffer.from('commit\0');
const REFUSAL = Buffer.from('SFATAL\0C28000\0Mno entry\0\0');
const REFUSAL_HEADER = Buffer.from([0x45, 0, 0, 0, REFUSAL.length + 4]);

/** A way to the server that cuts a connection at its next commit, which the server gets or not. */
const startWay = async (socket: string) => {
  let cutsAt: 'before' | 'after' | null = null;
  let isClosed = false;
  const server = net.createServer((near) => {
    if (isClosed) {
      near.on('error', () => undefined).end(Buffer.concat([REFUSAL_HEADER, REFUSAL]));
      return;
    }
    const far = net.connect(socket);
    let isCut = false;
    const cut = () => {
      near.destroy();
      far.destroy();
    };
    near.on('error', cut).on('close', cut);
    far.on('error', cut).on('close', cut);
    near.on('data', (octets) => {
      const isCommit = cutsAt !== null && octets.includes(COMMIT);
      if (isCommit && cutsAt === 'before') cut();
      else far.write(octets);
      isCut ||= isCommit;
      if (isCommit) cutsAt = null;
    });
    far.on('data', (octets) => (isCut ? cut() : near.write(octets)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as net.AddressInfo).port,
    cutNext: (at: 'before' | 'after') => {
      cutsAt = at;
    },
    isCut: () => cutsAt === null,
    /** Lets no further connection in. */
    refuse: () => {
      isClosed = true;
    },
    close: () => server.close(),
  };
};

/** By what it reads: two that read the same lose one. */
const countOne = async (tx: Tx, name: string): Promise<void> => {
  const row = await tx.db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  const value = String(Number(row?.value ?? 0) + 1);
  await sql`insert into settings (name, value) values (${name}, ${Buffer.from(value)})
    on conflict (name) do update set value = excluded.value`.execute(tx.db);
};
const readCount = async (db: Db, name: string): Promise<number> =>
  Number((await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst())?.value);

t.test('a connection that is cut at the commit loses nothing and doubles nothing', async (t) => {
  const way = await startWay(`${new URL(server.url).searchParams.get('host')}/.s.PGSQL.5432`);
  t.teardown(() => way.close());
  const store = await open(`postgres://postgres@127.0.0.1:${way.port}/postgres`);
  let effects = 0;
  const write = () =>
    store.write(async (tx) => {
      tx.afterCommit(() => {
        effects += 1;
      });
      await countOne(tx, 'cut');
    });
  for (const [round, at] of (['before', 'after', 'before', 'after'] as const).entries()) {
    way.cutNext(at);
    await Promise.all([write(), write(), write()]);
    t.ok(way.isCut(), `cut ${at} the server has it`);
    t.equal(await readCount(store.read, 'cut'), 3 * (round + 1));
    t.equal(effects, 3 * (round + 1));
  }
  await store.close();
});

const ENDED_WHILE_IDLE = `do $$ begin
  while exists (select from pg_stat_activity where application_name = 'postroom' and state = 'idle in transaction') loop
    perform pg_sleep(0.01), pg_stat_clear_snapshot();
  end loop;
end $$`;

t.test('a transaction that the server ends because the process was frozen runs again', async (t) => {
  const host = new URL(server.url).searchParams.get('host') ?? '';
  const way = await startWay(`${host}/.s.PGSQL.5432`);
  t.teardown(() => way.close());
  const store = await open(`postgres://postgres@127.0.0.1:${way.port}/postgres`);
  let runs = 0;
  await store.write(async (tx) => {
    runs += 1;
    await countOne(tx, 'frozen');
    if (runs > 1) return;
    await sql`set local idle_in_transaction_session_timeout = '1ms'`.execute(tx.db);
    execFileSync('psql', ['-h', host, '-U', 'postgres', '-c', ENDED_WHILE_IDLE]);
  });
  t.equal(await readCount(store.read, 'frozen'), 1);
  t.equal(runs, 2);
  await store.close();
});

t.test('two processes write one after the other', async (t) => {
  const stores = [await open(), await open()];
  await Promise.all(
    stores.map(async (store) => {
      for (let count = 0; count < 20; count += 1) await store.write((tx) => countOne(tx, 'both'));
    }),
  );
  const [first] = stores as [Store];
  t.equal(await readCount(first.read, 'both'), 40);
  for (const store of stores) await store.close();
});

t.test('a transaction is lost in a crash, and a later one has its number: it runs again', async (t) => {
  const [store, other] = [await open(), await open()];
  const numbers: string[] = [];
  const write = (of: Store, name: string, then = async (): Promise<void> => {}) =>
    of.write(async (tx) => {
      post(tx, name);
      const { rows } = await sql<{ number: string }>`select pg_current_xact_id()::text as number`.execute(tx.db);
      numbers.push(rows[0]?.number ?? '');
      if (numbers.length === 1) await then();
    });
  await write(store, 'crash first', async () => {
    await server.crash();
    await server.start();
    await write(other, 'crash second');
  });
  t.equal(numbers[1], numbers[0], 'the same number');
  t.equal(numbers.length, 3);
  t.same([...(await readRows(store.read, 'crash')).keys()], ['crash first', 'crash second']);
  for (const each of [store, other]) await each.close();
});

t.test('what became of a commit is not known: its units fail, and none of them runs again', async (t) => {
  const way = await startWay(`${new URL(server.url).searchParams.get('host')}/.s.PGSQL.5432`);
  t.teardown(() => way.close());
  const [store, other] = [await open(`postgres://postgres@127.0.0.1:${way.port}/postgres`), await open()];
  let runs = 0;
  const write = () =>
    store.write(async (tx) => {
      runs += 1;
      await countOne(tx, 'unknown');
    });
  way.cutNext('after');
  way.refuse();
  const units = await Promise.allSettled([write(), write()]);
  t.same(
    units.map((each) => each.status === 'rejected' && each.reason.name),
    ['UnwritableError', 'UnwritableError'],
  );
  t.equal(runs, 2);
  t.equal(await readCount(other.read, 'unknown'), 2);
  for (const each of [store, other]) await each.close();
});
