import t from 'tap';
import { cliJson } from '../harness/cli.ts';
import { orFew } from '../harness/long-form.ts';
import { ofSqlite } from '../harness/postgres/test-location.ts';
import { startProcessBox } from '../harness/process.ts';
import { type Step, startScriptedHost } from '../harness/smtp/scripted-host.ts';
import { startLockedDelivery } from './locked-store.ts';
import { copies, delivered, deliveryOf, PHASES, pause, send } from './outbound-mail.ts';

/** A host that tells when its client is at a step, and then says no more: its client is gone before it would. */
const startHoldingHost = async (extensions: readonly string[]) => {
  let held: Step | null = null;
  let reach = () => {};
  const host = await startScriptedHost({
    extensions,
    at: (step) => {
      // No session is kept, so that each mail goes through every step.
      if (step !== held) return step === 'AFTER' ? 'close' : undefined;
      held = null;
      reach();
      return new Promise(() => undefined);
    },
  });
  const holdAt = (step: Step): Promise<void> => {
    held = step;
    return new Promise((resolve) => {
      reach = resolve;
    });
  };
  return { host, holdAt };
};

const extensions: string[] = [];
t.test('SIGKILL at each step of a delivery: it arrives, twice only once the host had all of it', async (t) => {
  const { host, holdAt } = await startHoldingHost(extensions);
  await using _host = host;
  await using harness = await startProcessBox({ outbound: `port = ${host.port}` });
  const { instance } = harness;
  for (const [how, phases] of [
    // By day the reply alone is not killed at: the locked file below shows what is between it and the commit.
    ['without pipelining', orFew<Step>(PHASES, ['BODY', 'END'])],
    ['with pipelining', orFew<Step>(['MAIL', 'BODY', 'END', 'AFTER'], ['END'])],
  ] as const) {
    if (how === 'with pipelining') extensions.push('PIPELINING');
    for (const phase of phases) {
      const subject = `${phase} ${how}`;
      const reached = holdAt(phase);
      const messageId = await send(instance, subject);
      await reached;
      await harness.daemon.end('SIGKILL');
      const cutOff = await deliveryOf(instance, messageId);
      if (phase !== 'AFTER')
        t.match(cutOff, { attempting: true, attempts: 1, status: 'queued' }, `${subject}: on record`);
      await harness.start();
      const delivery = await delivered(instance, messageId);
      const times = copies(host, subject);
      if (phase === 'END') t.equal(times, 2, `${subject}: the host alone knows whether it took it`);
      else if (phase === 'AFTER') t.equal(times, cutOff?.attempting ? 2 : 1, `${subject}: once after the commit`);
      else t.equal(times, 1, `${subject}: once`);
      if (!cutOff?.attempting) continue;
      const shown = await cliJson(instance.configPath, 'queue', 'show', delivery.id);
      t.match(shown, { transcript: /^\*: Postroom ended during an attempt before/ }, `${subject}: the row says so`);
      t.equal(delivery.attempts, 2);
    }
  }

  await t.test('right behind the acknowledgement: it is sent after the next start, once', async (t) => {
    const messageId = await send(instance);
    await harness.daemon.end('SIGKILL');
    await harness.start();
    await delivered(instance, messageId);
    t.ok(copies(host) <= 2 && copies(host) >= 1);
  });
});

ofSqlite(t, 'the file is locked')(
  'SIGKILL between the host’s final reply and the commit: twice, and the row says so',
  async (t) => {
    await using locked = await startLockedDelivery();
    const { host, harness, messageId } = locked;
    const { instance } = harness;
    // The reply has come, and waits behind the lock.
    await pause(300);
    await harness.daemon.end('SIGKILL');
    locked.release();
    t.match(await deliveryOf(instance, messageId), { attempting: true, status: 'queued' });
    await harness.start();
    const delivery = await delivered(instance, messageId);
    t.equal(copies(host), 2);
    t.match(
      delivery.transcript,
      /^\*: Postroom ended during an attempt before this one\. The host may have taken the mail/,
    );
    t.match(delivery, { attempts: 2, code: 250 });
  },
);
