import t from 'tap';
import { MINUTE } from '../../../src/kernel/clock.ts';
import { parseId } from '../../../src/kernel/ids.ts';
import { insertDeliveries, listDeliveriesOf } from '../../../src/store/sending/deliveries.ts';
import { cliJson, runCli } from '../../harness/cli.ts';
import { movableClock } from '../../harness/http/webhooks.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { freePort } from '../../harness/net/free-port.ts';
import { type ScriptedHost, startScriptedHost } from '../../harness/smtp/scripted-host.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

/** Ann's; resolves with the message's id once it is accepted. */
const send = async (instance: TestInstance, to: string[], subject = 'Hi'): Promise<string> => {
  const sent = await instance.client(instance.agents.ann).messages.send({ to, subject, body: `About ${subject}` });
  if (!sent.messageId) throw new Error(`Not accepted: ${JSON.stringify(sent)}`);
  return sent.messageId;
};
/** One mail for every five of so many recipients; resolves with the ids. */
const sendMany = (instance: TestInstance, count: number, domain: string): Promise<string[]> =>
  Promise.all(
    Array.from({ length: count / 5 }, (_, mail) =>
      send(
        instance,
        Array.from({ length: 5 }, (_, at) => `r${mail * 5 + at}@${domain}`),
        `Mail ${mail} to ${domain}`,
      ),
    ),
  );
const deliveriesOf = (instance: TestInstance, messageId: string) => {
  const id = parseId<'message'>(messageId);
  if (!id) throw new Error(`${messageId} is no id`);
  return instance.inStore(({ read }) => listDeliveriesOf(read, id));
};
const attempted = (instance: TestInstance, messageId: string) =>
  eventually(async () => {
    const deliveries = await deliveriesOf(instance, messageId);
    return (
      deliveries.every(({ attempting, attempts, response }) => attempts > 0 && !attempting && response) && deliveries
    );
  }, 20_000);

const subjects = ({ messages }: ScriptedHost): string[] =>
  messages.map((message) => /^Subject: (.*)$/m.exec(message)?.[1]?.trim() ?? '');
const pause = (ms: number) => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), ms));

/** Domains whose mail a host takes, under the host's name. */
const point = ({ dns: { zone } }: TestInstance, host: string, address: string, ...domains: string[]): void => {
  zone.set(host, 'A', [address]);
  for (const domain of domains) zone.set(domain, 'MX', [{ exchange: host, priority: 10 }]);
};

t.test('two domains with one host share its five sessions, and a session has many mails', async (t) => {
  await using host = await startScriptedHost({ at: (step) => (step === 'END' ? pause(20) : undefined) });
  await using instance = await startInstance({ outbound: `port = ${host.port}\nsource_addresses = ["127.0.0.2"]` });
  point(instance, 'mx.shared.test', '127.0.0.1', 'one.test', 'two.test');
  const ids = [...(await sendMany(instance, 40, 'one.test')), ...(await sendMany(instance, 40, 'two.test'))];
  for (const id of ids) t.ok((await attempted(instance, id)).every(({ status }) => status === 'delivered'));
  t.equal(host.messages.length, 80);
  t.equal(host.mostSessions(), 5);
  t.ok(host.connections() <= 10, `${host.connections()} connections for 80 mails`);
  const perRecipient = host.lines.filter((line) => line.startsWith('RCPT')).length;
  t.equal(perRecipient, host.lines.filter((line) => line.startsWith('MAIL')).length, 'one recipient a transaction');
  t.same([...host.clients], ['127.0.0.2'], 'and it sees the address that is set');
  t.same(instance.faults, []);
});

t.test('after a 421 a host has one session, paced, and still gets the rest', async (t) => {
  const clock = movableClock();
  let hasRefused = false;
  let underWay = 0;
  let most = 0;
  const starts: number[] = [];
  await using host = await startScriptedHost({
    at: async (step) => {
      if (step === 'MAIL' && !hasRefused) {
        hasRefused = true;
        return '421 4.7.0 Too many connections';
      }
      if (step === 'MAIL') {
        starts.push(Date.now());
        underWay += 1;
        most = Math.max(most, underWay);
      }
      if (step === 'END') {
        await pause(20);
        underWay -= 1;
      }
      return undefined;
    },
  });
  await using instance = await startInstance({ outbound: `port = ${host.port}`, runtime: { clock } });
  point(instance, 'mx.busy.test', '127.0.0.1', 'busy.test');
  const first = await send(instance, ['first@busy.test']);
  t.match(await attempted(instance, first), [{ status: 'deferred', code: 421, attempts: 1 }]);
  const rest = await send(instance, ['a@busy.test', 'b@busy.test', 'c@busy.test', 'd@busy.test'], 'Rest');
  await pause(300);
  t.equal(host.messages.length, 0, 'it is left alone for some seconds');
  clock.pass(5_000);
  instance.daemon.outbound.wake();
  const delivered = await attempted(instance, rest);
  t.ok(
    delivered.every(({ status, attempts }) => status === 'delivered' && attempts === 1),
    'each in its first attempt',
  );
  t.equal(most, 1, 'one at a time');
  const gaps = starts.slice(1).map((at, before) => at - (starts[before] ?? 0));
  t.ok(
    gaps.every((gap) => gap > 900 && gap < 3_000),
    `one a second: ${gaps}`,
  );
  clock.pass(2 * MINUTE);
  instance.daemon.outbound.wake();
  await eventually(async () => (await deliveriesOf(instance, first))[0]?.status === 'delivered', 15_000);
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
  await pause(200);
  t.equal(host.connections(), 5, 'the ten others have not knocked');
  t.equal((await refusedRows()).length, 5);
});

t.test('where the first host fails the attempt fails over to the second', async (t) => {
  await using fine = await startScriptedHost({ address: '127.0.0.20' });
  const { port } = fine;
  await using closes = await startScriptedHost({ address: '127.0.0.21', port, at: () => 'close' });
  await using refuses = await startScriptedHost({
    address: '127.0.0.22',
    port,
    at: (step) => (step === 'CONNECT' ? '554 5.3.2 No mail here' : undefined),
  });
  await using breaksOff = await startScriptedHost({
    address: '127.0.0.23',
    port,
    at: (step) => (step === 'DATA' ? 'close' : undefined),
  });
  await using instance = await startInstance({ outbound: `port = ${port}` });
  const { zone } = instance.dns;
  zone.set('mx2.test', 'A', ['127.0.0.20']);
  for (const [name, addresses] of [
    ['nobody', ['127.0.0.29']],
    ['closes', ['127.0.0.21']],
    ['refuses', ['127.0.0.22']],
    ['breaks', ['127.0.0.23']],
    ['private', ['10.1.2.3']],
    ['several', ['127.0.0.29', '127.0.0.21']],
  ] as const) {
    zone.set(`mx.${name}.test`, 'A', [...addresses]);
    zone.set(`${name}.test`, 'MX', [
      { exchange: 'mx2.test', priority: 20 },
      { exchange: `mx.${name}.test`, priority: 10 },
    ]);
    const [delivery] = await attempted(instance, await send(instance, [`carol@${name}.test`], name));
    t.match(delivery, { status: 'delivered', attempts: 1, remoteHost: 'mx2.test' }, name);
  }
  t.equal(closes.connections() + refuses.connections() + breaksOff.connections() >= 3, true);
  t.equal(fine.messages.length, 6);
});

t.test('domains that cannot have mail', async (t) => {
  await using instance = await startInstance();
  const { zone } = instance.dns;
  zone.set('null.test', 'MX', [{ exchange: '', priority: 0 }]);
  zone.set('inside.test', 'MX', [{ exchange: 'mx.inside.test', priority: 10 }]);
  zone.set('mx.inside.test', 'A', ['10.1.2.3', '192.168.0.1']);
  zone.set('mx.inside.test', 'AAAA', ['fd00::1']);
  zone.fail('broken.test', 'SERVFAIL');
  const id = await send(instance, ['a@null.test', 'a@missing.test', 'a@inside.test', 'a@broken.test']);
  t.match(await attempted(instance, id), [
    { status: 'bounced', enhancedCode: '5.1.10', nextAttemptAt: null },
    { status: 'bounced', enhancedCode: '5.1.2', nextAttemptAt: null },
    { status: 'bounced', enhancedCode: '5.4.4', nextAttemptAt: null, response: /private/ },
    { status: 'deferred', code: null, response: /^DNS MX broken\.test/ },
  ]);
});

t.test('a slow destination delays no other', async (t) => {
  const { promise: held, resolve: go } = Promise.withResolvers<undefined>();
  await using slow = await startScriptedHost({ address: '127.0.0.30', at: () => held });
  await using _fast = await startScriptedHost({ address: '127.0.0.31', port: slow.port });
  await using instance = await startInstance({ outbound: `port = ${slow.port}` });
  point(instance, 'mx.slow.test', '127.0.0.30', 'slow.test');
  point(instance, 'mx.fast.test', '127.0.0.31', 'fast.test');
  await sendMany(instance, 45, 'slow.test');
  await eventually(async () => slow.mostSessions() === 5);
  const began = performance.now();
  const [delivery] = await attempted(instance, await send(instance, ['carol@fast.test'], 'Fast'));
  t.equal(delivery?.status, 'delivered');
  t.ok(performance.now() - began < 3_000, `${performance.now() - began} ms`);
  t.equal(slow.mostSessions(), 5);
  t.equal(slow.messages.length, 0);
  go(undefined);
});

t.test('a mailbox with 300 queued mails does not delay another mailbox’s one', async (t) => {
  await using host = await startScriptedHost({ at: (step) => (step === 'END' ? pause(10) : undefined) });
  await using instance = await startInstance({ outbound: `port = ${host.port}` });
  point(instance, 'mx.one.test', '127.0.0.1', 'one.test');
  const id = await send(instance, ['first@one.test'], 'Many');
  const [first] = await attempted(instance, id);
  if (!first) throw new Error('No delivery');
  const now = Date.now();
  const rows = Array.from({ length: 300 }, (_, at) => ({
    ...first,
    id: crypto.randomUUID() as typeof first.id,
    position: at,
  }));
  await instance.inStore((store) => store.write((tx) => insertDeliveries(tx, rows, now, now)));
  instance.daemon.outbound.wake();
  await eventually(async () => host.messages.length >= 40);
  await instance.client(instance.agents.bob).messages.send({ to: ['carol@one.test'], subject: 'One', body: 'One' });
  const before = host.messages.length;
  await eventually(async () => subjects(host).includes('One'));
  const ahead = subjects(host).indexOf('One') - before;
  t.ok(ahead <= 40, `${ahead} of the other mailbox went first`);
  await eventually(async () => host.messages.length === 302);
});

t.test('the queue at the command line: list, show, retry, cancel', async (t) => {
  let isLate = true;
  await using host = await startScriptedHost({
    at: (step, line) => (step === 'RCPT' && isLate && /late/.test(line) ? '451 4.3.2 Not now' : undefined),
  });
  await using instance = await startInstance({ outbound: `port = ${host.port}` });
  const cli = (...args: string[]) => cliJson(instance.configPath, 'queue', ...args);
  const [late, later] = await attempted(instance, await send(instance, ['late@remote.test', 'later@remote.test']));
  const { queue } = (await cli('list')) as { queue: unknown[] };
  t.match(
    queue,
    [late, later]
      .map((row) => ({
        id: row?.id,
        message_id: row?.messageId,
        address: /^later?@/,
        status: 'deferred',
        attempts: 1,
        next_attempt_at: new Date(row?.nextAttemptAt ?? 0).toISOString(),
        last_response: '451 4.3.2 Not now',
        remote_host: 'mx.remote.test',
      }))
      .toSorted((a, b) => a.next_attempt_at.localeCompare(b.next_attempt_at)),
    'soonest first',
  );
  t.match(await cli('show', late?.id ?? ''), {
    id: late?.id,
    transcript:
      /^\*: mx\.remote\.test \[127\.0\.0\.1\][\s\S]*C: RCPT TO:<late@remote\.test>[\s\S]*S: 451 4\.3\.2 Not now/,
  });
  t.equal((await runCli(instance.configPath, 'queue', 'retry', crypto.randomUUID())).code, 1, 'an id of nothing');
  isLate = false;
  t.match(await cli('retry', late?.id ?? ''), { id: late?.id, attempts: 1 });
  await eventually(async () => host.messages.length === 1, 10_000);
  await eventually(async () => ((await cli('show', late?.id ?? '')) as { status: string }).status === 'delivered');
  t.match(await cli('cancel', later?.id ?? '', '--yes'), { id: later?.id, status: 'cancelled', next_attempt_at: null });
  t.same(await cli('list'), { queue: [] });
  const again = await runCli(instance.configPath, 'queue', 'retry', later?.id ?? '');
  t.equal(again.code, 1);
  t.match(again.stderr, /cancelled already/);
  t.equal(host.messages.length, 1, 'what was cancelled does not go out');
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
