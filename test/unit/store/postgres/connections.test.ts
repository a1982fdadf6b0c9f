import { once } from 'node:events';
import net from 'node:net';
import t from 'tap';
import { systemClock } from '../../../../src/kernel/clock.ts';
import { openStore } from '../../../../src/store/open-store.ts';
import { createClient, createPool } from '../../../../src/store/postgres/connections.ts';
import { isLost } from '../../../../src/store/postgres/lost-connections.ts';
import { startPostgres } from '../../../harness/postgres/postgres-server.ts';
import { eventually } from '../../../harness/smtp/send-mail.ts';

/** The first octet of a statement; what a client says before has none. */
const STATEMENT = 'Q'.charCodeAt(0);

/** A way to the server that ends each connection at its first statement, as a server that stops does. */
const startWay = async (socket: string) => {
  const server = net.createServer((near) => {
    const far = net.connect(socket);
    far.on('error', () => undefined).pipe(near);
    near
      .on('error', () => undefined)
      .on('data', (octets) => {
        if (octets[0] !== STATEMENT) far.write(octets);
        else {
          near.resetAndDestroy();
          far.destroy();
        }
      });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
};

t.test('a connection that ends before it is set up fails what waits for it, and nothing else', async (t) => {
  await using server = await startPostgres();
  const way = await startWay(`${new URL(server.url).searchParams.get('host')}/.s.PGSQL.5432`);
  t.teardown(() => way.close());
  const url = `postgres://postgres@127.0.0.1:${(way.address() as net.AddressInfo).port}/postgres`;
  const pool = createPool(url, 1);
  t.teardown(() => pool.end());
  for (const asks of [() => pool.query('select 1'), () => pool.connect(), () => createClient(url).connect()]) {
    t.ok(isLost(await asks().catch((error: unknown) => error)), 'it may run again');
  }
});

t.test('a connection that may not be silent ends where its server says nothing', async (t) => {
  await using server = await startPostgres();
  const pool = createPool(server.url, 1, { silentMs: 500 });
  t.teardown(() => pool.end());
  const asked = await pool.query('select pg_sleep(60)').catch((error: unknown) => error);
  t.ok(isLost(asked), 'it may run again');
  t.match(await pool.query('select 1'), { rowCount: 1 });

  const client = createClient(server.url, { silentMs: 500 });
  await client.connect();
  t.ok(isLost(await client.query('select pg_sleep(60)').catch((error: unknown) => error)), 'one without a pool too');
});

t.test('a read that gives way to a transaction that changes tables runs again', async (t) => {
  await using server = await startPostgres();
  const store = await openStore({ engine: 'postgres', url: server.url }, { now: systemClock.now() });
  t.teardown(() => store.close());
  const other = createClient(server.url);
  await other.connect();
  t.teardown(() => other.end());
  // It is the read that is ended, also where both wait for long.
  await other.query("set deadlock_timeout = '1h'; begin; lock table threads");
  // It has the messages, and waits for the threads.
  const read = store.read.selectFrom('messages').innerJoin('threads', 'threads.id', 'messages.thread_id').select('seq');
  const rows = read.execute();
  await eventually(async () => (await other.query('select from pg_locks where not granted')).rowCount === 1);
  await other.query('lock table messages');
  await other.query('rollback');
  t.same(await rows, []);
});
