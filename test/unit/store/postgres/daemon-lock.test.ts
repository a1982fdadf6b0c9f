import { randomUUID } from 'node:crypto';
import net from 'node:net';
import t from 'tap';
import type { RunId } from '../../../../src/kernel/ids.ts';
import { createClient, createPool, cut, type Sockets } from '../../../../src/store/postgres/connections.ts';
import { type DaemonLock, lockDatabase } from '../../../../src/store/postgres/daemon-lock.ts';
import { isLost, whileLost } from '../../../../src/store/postgres/lost-connections.ts';
import { type PostgresServer, queryOnce, startPostgres } from '../../../harness/postgres/postgres-server.ts';
import { eventually } from '../../../harness/smtp/send-mail.ts';

const PACE = { beatMs: 5, answerWithinMs: 100, heldMs: 200 };

/** A way to the server. What goes over it can be cut so that neither side hears of it; what comes later passes. */
const startWay = async ({ url }: PostgresServer) => {
  const socket = `${new URL(url).searchParams.get('host')}/.s.PGSQL.5432`;
  const open = new Set<net.Socket>();
  let cuts = 0;
  let lastWords = '';
  const server = net.createServer((near) => {
    let before = cuts;
    near.on('data', (octets) => {
      if (lastWords === '' || !octets.includes(lastWords)) return;
      lastWords = '';
      before = -1;
    });
    const far = net.connect(socket);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.on('error', () => undefined).on('data', (octets) => cuts > before || to.write(octets));
      from.once('close', () => cuts > before || to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sockets: Sockets = new Set();
  const wayUrl = `postgres://postgres@127.0.0.1:${(server.address() as net.AddressInfo).port}/postgres`;
  return {
    locking: { createClient: () => createClient(wayUrl, { sockets }), onSilent: () => cut(sockets) },
    pool: createPool(wayUrl, 1, { sockets }),
    cut: () => {
      cuts += 1;
    },
    /** Cuts also the one that next says `words`: they do not arrive. */
    cutAt: (words: string) => {
      cuts += 1;
      lastWords = words;
    },
    close: () => {
      for (const each of open) each.destroy();
      server.close();
    },
  };
};

const isHeld = (lock: DaemonLock): boolean => {
  try {
    lock.require();
    return true;
  } catch (error) {
    t.equal((error as Error).name, 'UnlockedError');
    return false;
  }
};

t.test('a lock whose connection says nothing is not held; what else waits for the server may run again', async (t) => {
  await using server = await startPostgres();
  const way = await startWay(server);
  // A busy machine may be silent for as long as one that is gone: what waits runs again then, as in the product.
  const lock = await whileLost(() => lockDatabase(way.locking, () => undefined, undefined, PACE));
  t.teardown(async () => {
    way.close();
    await lock.release();
    await way.pool.end();
  });
  const later = performance.now() + 2 * PACE.heldMs;
  await eventually(async () => performance.now() > later && isHeld(lock));
  const ask = () => way.pool.query('select 1');
  await whileLost(ask);
  way.cut();
  t.ok(isLost(await ask().catch((error: unknown) => error)));
  t.match(await whileLost(ask), { rowCount: 1 }, 'by a connection of its own');
  await eventually(async () => !isHeld(lock));
});

const ignored = () => undefined;
const newBox = () => ({
  runId: randomUUID() as string as RunId,
  succession: { onStandBy: ignored, onHandOver: ignored, onLost: ignored },
});

t.test('a box whose connection says nothing hears and is heard again, and leads once it is its turn', async (t) => {
  await using server = await startPostgres();
  const way = await startWay(server);
  const leading = { createClient: () => createClient(server.url), onSilent: ignored };
  const first = await lockDatabase(leading, ignored, newBox());
  const second = await whileLost(() => {
    return lockDatabase(way.locking, ignored, newBox(), { ...PACE, answerWithinMs: 500 });
  });
  t.teardown(async () => {
    way.close();
    await second.release();
    await way.pool.end();
  });
  // This check of the data may be what the server does not answer, as well as the question for the lock.
  await queryOnce(
    server,
    'create table boxes (run_id uuid primary key, pid integer, since timestamptz, ending boolean not null default false)',
  );
  second.serve(async (client) => void (await client.query('select 1')));
  const heard = { first: 0, second: 0 };
  first.hearOthers(() => (heard.first += 1));
  second.hearOthers(() => (heard.second += 1));
  for (const lock of [first, second]) lock.tellOthers();
  await eventually(async () => heard.first > 0 && heard.second > 0);
  for (const cut of [way.cut, () => way.cutAt('listen'), () => way.cutAt('insert into boxes')]) {
    const before = { ...heard };
    cut();
    for (const lock of [first, second]) lock.tellOthers();
    await eventually(async () => heard.first > before.first && heard.second > before.second);
  }
  way.cut();
  await first.release();
  await second.held;
  t.ok(isHeld(second));
});
