import { join } from 'node:path';
import Database from 'better-sqlite3';
import t from 'tap';
import { parseId } from '../../src/kernel/ids.ts';
import { type Delivery, listDeliveriesOf } from '../../src/store/deliveries.ts';
import { startBox, type TestBox } from '../harness/box.ts';
import { cliJson } from '../harness/cli.ts';
import { startProcessBox } from '../harness/process.ts';
import { type ScriptedHost, type Step, startScriptedHost } from '../harness/scripted-host.ts';
import { eventually } from '../harness/send-mail.ts';
import { movableClock } from '../harness/webhooks.ts';

const PHASES: readonly Step[] = ['CONNECT', 'EHLO', 'MAIL', 'RCPT', 'DATA', 'BODY', 'END', 'AFTER'];
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** A host that tells when its client is at a step for the first time, and says no more until it is let go. */
const startHoldingHost = async (at: Step, extensions: readonly string[]) => {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  let isFirst = true;
  const host = await startScriptedHost({
    extensions,
    at: (step) => {
      if (step !== at || !isFirst) return undefined;
      isFirst = false;
      reach();
      // Its client is gone before it would say anything.
      return new Promise(() => undefined);
    },
  });
  return { host, reached };
};

const send = async (box: TestBox, subject = 'Once'): Promise<string> => {
  const client = box.client(box.agents.ann);
  const { messageId } = await client.messages.send({ to: ['carol@remote.test'], subject, body: 'Once' });
  return messageId ?? '';
};

/** The delivery of a message, read beside the daemon. */
const deliveryOf = (box: TestBox, messageId: string): Promise<Delivery | undefined> =>
  box.inStore(async ({ read }) => {
    const id = parseId<'message'>(messageId);
    return id ? (await listDeliveriesOf(read, id))[0] : undefined;
  });

const delivered = (box: TestBox, messageId: string): Promise<Delivery> =>
  eventually(async () => {
    const delivery = await deliveryOf(box, messageId);
    return delivery?.status === 'delivered' && delivery;
  }, 20_000);

/** How often the mail has come. */
const copies = ({ messages }: ScriptedHost): number => messages.filter((message) => message.includes('Once')).length;

for (const extensions of [[], ['PIPELINING']]) {
  const how = extensions.length > 0 ? 'with pipelining' : 'without pipelining';
  t.test(`SIGKILL at each step of a delivery, ${how}: it arrives, twice only once the host had all of it`, async (t) => {
    // One process for all: each start of the daemon takes a second.
    for (const phase of PHASES) {
      const { host, reached } = await startHoldingHost(phase, extensions);
      await using _ = host;
      await using harness = await startProcessBox({ outbound: `port = ${host.port}` });
      const { box } = harness;
      // As long as the file is locked the daemon cannot commit what the host says.
      const lock = new Database(join(box.directory, 'data', 'postroom.db'), { timeout: 10_000 });
      const messageId = await send(box);
      await reached;
      if (phase === 'AFTER') {
        // The reply is with the daemon, or about to be: it may be killed on either side of its commit.
        await pause(1);
      }
      await harness.daemon.end('SIGKILL');
      lock.close();
      const cutOff = await deliveryOf(box, messageId);
      if (phase !== 'AFTER') t.match(cutOff, { attempting: true, attempts: 1, status: 'queued' }, `${phase}: on record`);
      await harness.start();
      const delivery = await delivered(box, messageId);
      const wasTwice = copies(host) === 2;
      t.ok(copies(host) === 1 || (wasTwice && (phase === 'END' || phase === 'AFTER')), `${phase}: ${copies(host)} copies`);
      if (phase === 'END') t.ok(wasTwice, 'END: nobody can know whether the host took it');
      if (cutOff?.attempting) {
        const shown = await cliJson(box.configPath, 'queue', 'show', delivery.id);
        t.match(shown, { transcript: /^\*: Postroom ended during an attempt before this one/ }, `${phase}: the row says so`);
        t.equal(delivery.attempts, 2);
      } else {
        t.equal(copies(host), 1, `${phase}: the commit was first`);
      }
    }
  });
}

t.test('SIGKILL between the host’s final reply and the commit: twice, and the row says so', async (t) => {
  let lock: Database.Database | null = null;
  const { promise: replied, resolve: reply } = Promise.withResolvers<void>();
  let path = '';
  await using host = await startScriptedHost({
    at: (step) => {
      if (step === 'END' && !lock) {
        lock = new Database(path, { timeout: 10_000 });
        lock.exec('begin immediate');
      }
      if (step === 'AFTER') reply();
      return undefined;
    },
  });
  await using harness = await startProcessBox({ outbound: `port = ${host.port}` });
  const { box } = harness;
  path = join(box.directory, 'data', 'postroom.db');
  const messageId = await send(box);
  await replied;
  // The reply has come, and waits behind the lock.
  await pause(300);
  await harness.daemon.end('SIGKILL');
  (lock as Database.Database | null)?.close();
  t.match(await deliveryOf(box, messageId), { attempting: true, status: 'queued' });
  await harness.start();
  const delivery = await delivered(box, messageId);
  t.equal(copies(host), 2);
  t.match(delivery.transcript, /^\*: Postroom ended during an attempt before this one\. The host may have taken the mail/);
  t.match(delivery, { attempts: 2, code: 250 });
});

t.test('SIGKILL right behind the acknowledgement: it is sent after the next start, once', async (t) => {
  await using host = await startScriptedHost();
  await using harness = await startProcessBox({ outbound: `port = ${host.port}` });
  const messageId = await send(harness.box);
  await harness.daemon.end('SIGKILL');
  await harness.start();
  await delivered(harness.box, messageId);
  t.ok(copies(host) <= 2 && copies(host) >= 1);
});

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
    await using box = await startBox({ outbound: `port = ${host.port}`, surroundings: { clock } });
    const messageId = await send(box);
    const deferred = await eventually(async () => {
      const delivery = await deliveryOf(box, messageId);
      return delivery?.status === 'deferred' && delivery;
    });
    t.match(deferred, { attempts: 1, code: null, attempting: false, remoteHost: 'mx.remote.test' }, phase);
    clock.pass(75_000);
    box.daemon.outbound.wake();
    t.match(await delivered(box, messageId), { attempts: 2, code: 250 });
    t.equal(copies(host), phase === 'END' ? 2 : 1, 'twice where the host had all of it and did not answer');
    t.same(box.faults, []);
  }
});

t.test('a store that blocks: the outcome is written once it lets go, and the mail is not sent again', async (t) => {
  let lock: Database.Database | null = null;
  let path = '';
  const { promise: replied, resolve: reply } = Promise.withResolvers<void>();
  await using host = await startScriptedHost({
    at: (step) => {
      if (step === 'END') {
        lock = new Database(path, { timeout: 10_000 });
        lock.exec('begin immediate');
      }
      if (step === 'AFTER') reply();
      return undefined;
    },
  });
  await using harness = await startProcessBox({ outbound: `port = ${host.port}` });
  const { box } = harness;
  path = join(box.directory, 'data', 'postroom.db');
  const messageId = await send(box);
  await replied;
  // Longer than a write waits: the first one fails, and is made again.
  await pause(13_000);
  t.match(await deliveryInFile(path, messageId), { attempting: 1, status: 'queued' });
  t.match(harness.daemon.output(), /database is locked/, 'the log has it');
  (lock as Database.Database | null)?.close();
  t.match(await delivered(box, messageId), { attempts: 1, code: 250 });
  await pause(1_000);
  t.equal(copies(host), 1);
});

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
