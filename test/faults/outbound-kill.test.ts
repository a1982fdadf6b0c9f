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

for (const [extensions, phases] of [
  [[], orFew<Step>(PHASES, ['BODY', 'END', 'AFTER'])],
  [['PIPELINING'], orFew<Step>(['MAIL', 'BODY', 'END', 'AFTER'], ['END'])],
] as const) {
  const how = extensions.length > 0 ? 'with pipelining' : 'without pipelining';
  t.test(
    `SIGKILL at each step of a delivery, ${how}: it arrives, twice only once the host had all of it`,
    async (t) => {
      const { host, holdAt } = await startHoldingHost(extensions);
      await using _host = host;
      await using harness = await startProcessBox({ outbound: `port = ${host.port}` });
      const { instance } = harness;
      for (const phase of phases) {
        const reached = holdAt(phase);
        const messageId = await send(instance, phase);
        await reached;
        await harness.daemon.end('SIGKILL');
        const cutOff = await deliveryOf(instance, messageId);
        if (phase !== 'AFTER')
          t.match(cutOff, { attempting: true, attempts: 1, status: 'queued' }, `${phase}: on record`);
        await harness.start();
        const delivery = await delivered(instance, messageId);
        const times = copies(host, phase);
        if (phase === 'END') t.equal(times, 2, 'END: nobody can know whether the host took it');
        else if (phase === 'AFTER')
          t.equal(times, cutOff?.attempting ? 2 : 1, 'AFTER: once where the commit was first');
        else t.equal(times, 1, `${phase}: once`);
        if (!cutOff?.attempting) continue;
        const shown = await cliJson(instance.configPath, 'queue', 'show', delivery.id);
        t.match(shown, { transcript: /^\*: Postroom ended during an attempt before/ }, `${phase}: the row says so`);
        t.equal(delivery.attempts, 2);
      }
    },
  );
}

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

t.test('SIGKILL right behind the acknowledgement: it is sent after the next start, once', async (t) => {
  await using host = await startScriptedHost();
  await using harness = await startProcessBox({ outbound: `port = ${host.port}` });
  const messageId = await send(harness.instance);
  await harness.daemon.end('SIGKILL');
  await harness.start();
  await delivered(harness.instance, messageId);
  t.ok(copies(host) <= 2 && copies(host) >= 1);
});
