import Database from 'better-sqlite3';
import t from 'tap';
import { movableClock } from '../harness/http/webhooks.ts';
import { startInstance } from '../harness/instance.ts';
import { ofSqlite } from '../harness/postgres/test-location.ts';
import { startScriptedHost } from '../harness/smtp/scripted-host.ts';
import { eventually } from '../harness/smtp/send-mail.ts';
import { startLockedDelivery } from './locked-store.ts';
import { copies, delivered, deliveryWhen, PHASES, send } from './outbound-mail.ts';

t.test('a connection that breaks at any step is tried again', async (t) => {
  const clock = movableClock();
  for (const phase of PHASES.filter((each) => each !== 'AFTER')) {
    let isFirst = true;
    await using host = await startScriptedHost({
      at: (step) => {
        if (step !== phase || !isFirst) return undefined;
        isFirst = false;
        return 'close';
      },
    });
    await using instance = await startInstance({ outbound: `port = ${host.port}`, runtime: { clock } });
    const messageId = await send(instance);
    t.match(
      await deliveryWhen(instance, messageId, 'deferred'),
      { attempts: 1, code: null, attempting: false, remoteHost: 'mx.remote.test' },
      phase,
    );
    clock.pass(75_000);
    instance.daemon.outbound.wake();
    t.match(await delivered(instance, messageId), { attempts: 2, code: 250 });
    t.equal(copies(host), phase === 'END' ? 2 : 1, 'twice where the host had all of it and did not answer');
    t.same(instance.faults, []);
  }
});

ofSqlite(t, 'the file is locked')(
  'a store that blocks: the outcome is written once it lets go, and the mail is not sent again',
  async (t) => {
    await using locked = await startLockedDelivery();
    const { host, harness, messageId, path } = locked;
    const { instance } = harness;
    // The first write of the outcome fails after its busy timeout, and is repeated.
    await eventually(async () => /database is locked/.test(harness.daemon.output()));
    t.match(await deliveryInFile(path, messageId), { attempting: 1, status: 'queued' });
    locked.release();
    t.match(await delivered(instance, messageId), { attempts: 1, code: 250 });
    await delivered(instance, await send(instance, 'Later'));
    t.equal(copies(host), 1, 'a later mail has come, and no second copy');
  },
);

/** The row as another connection reads it, for a locked file cannot be opened as a store. */
const deliveryInFile = (path: string, messageId: string): unknown => {
  const connection = new Database(path, { readonly: true });
  try {
    return connection
      .prepare('select attempting, status from deliveries where message_id = ?')
      .get(Buffer.from(messageId.replaceAll('-', ''), 'hex'));
  } finally {
    connection.close();
  }
};
