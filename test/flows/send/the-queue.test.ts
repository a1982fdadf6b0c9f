import t from 'tap';
import { contracts } from '../../../src/resources/contracts.ts';
import { insertDeliveries } from '../../../src/store/sending/deliveries.ts';
import { cliJson, runCli } from '../../harness/cli.ts';
import { startInstance } from '../../harness/instance.ts';
import { asOperator } from '../../harness/operator.ts';
import { attempted, pause, point, send, sendMany, subjects } from '../../harness/smtp/queued-mail.ts';
import { startScriptedHost } from '../../harness/smtp/scripted-host.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

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
    { status: 'deferred', code: null, enhancedCode: '4.4.3', response: /^DNS MX broken\.test/ },
  ]);
  const deferred = instance.logged.flatMap(({ fields }) =>
    'mail' in fields && fields.mail === 'deferred' ? fields : [],
  );
  t.match(deferred, [{ reason: 'dns_failure' }], 'not port 25');
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
  const [delivery] = await attempted(instance, await send(instance, ['carol@fast.test'], 'Fast'));
  t.equal(delivery?.status, 'delivered');
  t.equal(slow.mostSessions(), 5);
  t.equal(slow.messages.length, 0);
  go(undefined);
});

t.test('mail that waits for its host in memory is not sent where it is cancelled meanwhile', async (t) => {
  const { promise: held, resolve: go } = Promise.withResolvers<undefined>();
  await using host = await startScriptedHost({ at: () => held });
  await using instance = await startInstance({ outbound: `port = ${host.port}` });
  point(instance, 'mx.one.test', '127.0.0.1', 'one.test');
  await sendMany(instance, 40, 'one.test');
  await eventually(async () => host.mostSessions() === 5);
  const { queue } = contracts;
  const waiting = await asOperator(instance, (call) => call(queue.list, {}));
  const cancelled = waiting.queue.filter(({ attempts }) => attempts === 0);
  t.ok(cancelled.length > 0, `${cancelled.length} wait`);
  for (const { id } of cancelled) await asOperator(instance, (call) => call(queue.cancel, { delivery_id: id }));
  go(undefined);
  await instance.daemon.outbound.idle();
  t.equal(host.messages.length, 40 - cancelled.length);
  t.same(instance.faults, []);
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

t.test('however many hosts hang that one mailbox writes to, the mail of others goes', async (t) => {
  const { promise: held, resolve: go } = Promise.withResolvers<undefined>();
  await using slow = await startScriptedHost({ address: '127.0.0.30', at: () => held });
  await using fast = await startScriptedHost({ address: '127.0.0.31', port: slow.port });
  await using instance = await startInstance({ outbound: `port = ${slow.port}` });
  point(instance, 'mx.fast.test', '127.0.0.31', 'fast.test');
  const [first] = await attempted(instance, await send(instance, ['carol@fast.test'], 'First'));
  if (!first) throw new Error('No delivery');
  const rows = Array.from({ length: 200 }, (_, position) => {
    const domain = `d${position}.test` as typeof first.domain;
    point(instance, `mx${position}.test`, '127.0.0.30', domain);
    return {
      ...first,
      id: crypto.randomUUID() as typeof first.id,
      address: `carol@${domain}` as never,
      domain,
      position,
    };
  });
  const now = Date.now();
  await instance.inStore((store) => store.write((tx) => insertDeliveries(tx, rows, now, now)));
  instance.daemon.outbound.wake();
  await eventually(async () => slow.connections() >= 100);
  await instance.client(instance.agents.bob).messages.send({ to: ['carol@fast.test'], subject: 'One', body: 'One' });
  await eventually(async () => subjects(fast).includes('One'));
  t.ok(slow.connections() <= 100, `${slow.connections()} attempts of one mailbox`);
  go(undefined);
  await eventually(async () => slow.messages.length === 200);
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
