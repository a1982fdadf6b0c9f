/** Commits whose answer does not arrive: the server crashes, or the connection is cut, in their midst. */

import { CompiledQuery } from 'kysely';
import t, { type Test } from 'tap';
import { createPool } from '../../../../src/store/postgres/connections.ts';
import { noDaemonLock } from '../../../../src/store/postgres/daemon-lock.ts';
import { COMMITS } from '../../../../src/store/postgres/own-schema.ts';
import { createWriteUnits, type Unit } from '../../../../src/store/postgres/write-units.ts';
import { type PostgresServer, startPostgres } from '../../../harness/postgres/postgres-server.ts';

const start = async (t: Test, server: PostgresServer) => {
  const [writers, readers] = [createPool(server.url, 2), createPool(server.url, 2)];
  t.teardown(() => Promise.all([writers.end(), readers.end()]));
  await readers.query(`${COMMITS}; create table mails (name text)`);
  return {
    readers,
    writers,
    write: createWriteUnits({ writers, readers }, noDaemonLock, {}),
    insert: ({ db }: Unit, name: string) => db.executeQuery(CompiledQuery.raw('insert into mails values ($1)', [name])),
    kept: async () => (await readers.query('select name from mails order by name')).rows.map(({ name }) => name),
  };
};

t.test('a transaction is lost in a crash, and the next one after it has its number', async (t) => {
  await using server = await startPostgres();
  const { write, insert, kept } = await start(t, server);
  let runs = 0;
  await write(async (unit) => {
    runs += 1;
    await insert(unit, 'first');
    if (runs > 1) return;
    await server.crash();
    await server.start();
    await write((other) => insert(other, 'second'));
  });
  t.same(await kept(), ['first', 'second']);
  t.equal(runs, 2, 'it ran again');
});

t.test('the answer to a commit does not arrive: the unit is there, and does not run again', async (t) => {
  await using server = await startPostgres();
  const { write, insert, kept, writers } = await start(t, server);
  let runs = 0;
  writers.once('connect', (client) => {
    const query = client.query.bind(client) as (text: unknown, values?: unknown) => Promise<unknown>;
    const cut = async (text: unknown, values?: unknown) => {
      const answer = await query(text, values);
      if (String(text).includes('commit;')) throw new Error('Connection terminated unexpectedly');
      return answer;
    };
    Object.assign(client, { query: cut });
  });
  await write(async (unit) => {
    runs += 1;
    await unit.lock('a lock that is given back behind the commit');
    await insert(unit, 'first');
  });
  t.same(await kept(), ['first']);
  t.equal(runs, 1);
});

t.test('a commit is cut off in its midst: the unit runs again, and is there once', async (t) => {
  await using server = await startPostgres();
  const { write, insert, kept, readers } = await start(t, server);
  await readers.query(`create function wait() returns trigger language plpgsql as $$ begin
    perform pg_sleep(0.3); return null; end $$;
    create constraint trigger slow after insert on mails initially deferred for each row execute function wait()`);
  let runs = 0;
  const cut = async (): Promise<void> => {
    const end = "select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'";
    while ((await readers.query(end)).rows.length === 0);
  };
  const work = async (unit: Unit): Promise<void> => {
    runs += 1;
    await insert(unit, 'first');
  };
  await Promise.all([write(work), cut()]);
  t.same(await kept(), ['first']);
  t.equal(runs, 2);
});
