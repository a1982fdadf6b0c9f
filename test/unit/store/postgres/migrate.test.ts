import t from 'tap';
import { systemClock } from '../../../../src/kernel/clock.ts';
import { openStore } from '../../../../src/store/open-store.ts';
import { queryOnce, startPostgres } from '../../../harness/postgres/postgres-server.ts';

t.test('no tables are made among those of another program', async (t) => {
  await using server = await startPostgres();
  await queryOnce(server, 'create table customers (id int)');
  await t.rejects(openStore({ engine: 'postgres', url: server.url }, { now: systemClock.now() }), {
    name: 'ServerError',
    message: /has tables of something else, such as customers/,
  });
  t.same(await queryOnce(server, "select tablename from pg_tables where schemaname = 'public'"), [
    { tablename: 'customers' },
  ]);
});
