import t from 'tap';
import { DAY, MINUTE } from '../../../src/kernel/clock.ts';
import { cliJson } from '../../harness/cli.ts';
import { movableClock } from '../../harness/http/webhooks.ts';
import { startInstance } from '../../harness/instance.ts';
import { freePort } from '../../harness/net/free-port.ts';
import { attempted, deliveriesOf, point, send, sendMany, subjects } from '../../harness/smtp/queued-mail.ts';
import { startScriptedHost } from '../../harness/smtp/scripted-host.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

t.test('after a 421 a destination has one paced session, and still gets the rest', async (t) => {
  const clock = { at: Date.now(), now: () => clock.at };
  let hasRefused = false;
  await using host = await startScriptedHost({
    at: (step) => {
      if (step !== 'MAIL' || hasRefused) return undefined;
      hasRefused = true;
      return '421 4.7.0 Too many connections';
    },
  });
  await using instance = await startInstance({ outbound: `port = ${host.port}`, runtime: { clock } });
  const { outbound } = instance.daemon;
  const pass = async (ms: number) => {
    clock.at += ms;
    outbound.wake();
    await outbound.idle();
  };
  point(instance, 'mx.busy.test', '127.0.0.1', 'busy.test');
  const first = await send(instance, ['first@busy.test']);
  t.match(await attempted(instance, first), [{ status: 'deferred', code: 421, attempts: 1 }]);
  const rest = await send(instance, ['a@busy.test', 'b@busy.test', 'c@busy.test', 'd@busy.test'], 'Rest');
  await pass(0);
  t.equal(host.messages.length, 0, 'it is left alone for some seconds');
  await pass(5_000);
  for (const count of [1, 2, 3, 4]) {
    t.equal(host.messages.length, count, 'one at a time');
    await pass(900);
    t.equal(host.messages.length, count, 'and no more within the second');
    await pass(100);
  }
  t.match(
    await deliveriesOf(instance, rest),
    Array.from({ length: 4 }, () => ({ status: 'delivered', attempts: 1 })),
    'each in its first attempt',
  );
  await pass(2 * MINUTE);
  t.match(await deliveriesOf(instance, first), [{ status: 'delivered' }]);
  t.equal(host.messages.length, 5);
});

t.test('deliveries in flight return to the queue when the destination throttles', async (t) => {
  const clock = movableClock();
  const refused = new Set<string>();
  const { promise: opened, resolve: open } = Promise.withResolvers<undefined>();
  await using host = await startScriptedHost({
    at: async (step, line) => {
      if (step !== 'MAIL' || refused.size >= 5) return undefined;
      refused.add(line);
      if (refused.size === 5) open(undefined);
      await opened;
      return '421 4.7.0 Too many connections';
    },
  });
  await using instance = await startInstance({ outbound: `port = ${host.port}`, runtime: { clock } });
  point(instance, 'mx.busy.test', '127.0.0.1', 'busy.test');
  const ids = await sendMany(instance, 15, 'busy.test');
  const rows = async () => (await Promise.all(ids.map((id) => deliveriesOf(instance, id)))).flat();
  const refusedRows = async () => (await rows()).filter(({ code }) => code === 421);
  await eventually(async () => (await refusedRows()).length === 5);
  await instance.daemon.outbound.idle();
  t.equal(host.connections(), 5, 'the ten others wait without a connection');
  t.equal((await refusedRows()).length, 5);
});

t.test('a destination’s back-off delays a first attempt, and shows until when; an operator may reset it', async (t) => {
  const clock = movableClock();
  const port = await freePort();
  await using instance = await startInstance({ outbound: `port = ${port}`, runtime: { clock } });
  point(instance, 'mx.down.test', '127.0.0.41', 'down.test');
  for (const passed of [5_000, 10_000, 0]) {
    const [failed] = await attempted(instance, await send(instance, [`after${passed}@down.test`], `After ${passed}`));
    t.match(failed, { status: 'deferred', attempts: 1, code: null, remoteHost: 'mx.down.test' });
    clock.pass(passed);
  }
  const id = await send(instance, ['patient@down.test'], 'Patient');
  const waiting = await eventually(async () => {
    const [row] = await deliveriesOf(instance, id);
    return (row?.nextAttemptAt ?? 0) > clock.now() + 2_000 && row;
  });
  t.match(waiting, { status: 'queued', attempts: 0, lastAttemptAt: null, response: null });
  t.ok((waiting.nextAttemptAt ?? 0) <= clock.now() + 20_000, 'the pause is of 20 s by now');
  const { deliveries } = await instance.client(instance.agents.ann).messages.get({ id });
  t.equal(deliveries[0]?.next_attempt_at, new Date(waiting.nextAttemptAt ?? 0).toISOString());
  await using host = await startScriptedHost({ address: '127.0.0.41', port });
  await cliJson(instance.configPath, 'queue', 'retry', waiting.id);
  await eventually(async () => subjects(host).includes('Patient'), 10_000);
  t.match(await attempted(instance, id), [{ status: 'delivered', attempts: 1 }]);
});

t.test('mail to a destination that is down is given up after five days, however much there is', async (t) => {
  const clock = movableClock();
  const port = await freePort();
  await using instance = await startInstance({ outbound: `port = ${port}`, runtime: { clock } });
  point(instance, 'mx.down.test', '127.0.0.41', 'down.test');
  const { outbound } = instance.daemon;
  const old = await sendMany(instance, 60, 'down.test');
  await outbound.idle();
  clock.pass(5 * DAY);
  const late = await send(instance, ['late@down.test'], 'Late');
  for (let minutes = 0; minutes < 5; minutes++) {
    outbound.wake();
    await outbound.idle();
    clock.pass(MINUTE);
  }
  const rows = (await Promise.all(old.map((id) => deliveriesOf(instance, id)))).flat();
  t.equal(rows.filter(({ status }) => status === 'bounced').length, 60);
  const untried = rows.find(({ response }) => response === 'mx.down.test has not answered');
  t.match(untried, { attempts: 1, attempting: false, nextAttemptAt: null }, 'those too that back-off has kept from it');
  t.match(await deliveriesOf(instance, late), [{ nextAttemptAt: Number }], 'later mail waits');
});
