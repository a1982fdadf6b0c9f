import net from 'node:net';
import t from 'tap';
import { createClient } from '../../../../src/store/postgres/connections.ts';
import { type DaemonLock, lockDatabase } from '../../../../src/store/postgres/daemon-lock.ts';
import { startPostgres } from '../../../harness/postgres/postgres-server.ts';
import { eventually } from '../../../harness/smtp/send-mail.ts';

/** A way to the server that can be cut so that neither side hears of it. */
const startWay = async (socket: string) => {
  const open = new Set<net.Socket>();
  let isCut = false;
  const server = net.createServer((near) => {
    const far = net.connect(socket);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.on('error', () => undefined).on('data', (octets) => isCut || to.write(octets));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as net.AddressInfo).port,
    cut: () => {
      isCut = true;
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

t.test('a lock whose connection says nothing is not held', async (t) => {
  await using server = await startPostgres();
  const { searchParams } = new URL(server.url);
  const way = await startWay(`${searchParams.get('host')}/.s.PGSQL.5432`);
  const url = `postgres://postgres@127.0.0.1:${way.port}/postgres`;
  const pace = { beatMs: 5, answerWithinMs: 100, heldMs: 200 };
  const lock = await lockDatabase(
    () => createClient(url),
    () => undefined,
    undefined,
    pace,
  );
  t.teardown(async () => {
    way.close();
    await lock.release();
  });
  const later = performance.now() + 2 * pace.heldMs;
  await eventually(async () => performance.now() > later && isHeld(lock));
  way.cut();
  await eventually(async () => !isHeld(lock));
});
