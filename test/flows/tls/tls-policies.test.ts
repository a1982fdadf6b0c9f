import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import t from 'tap';
import { selfSigned } from '../../harness/net/certificate.ts';
import { attempted, authority, sendFrom, startStsWorld, testClock } from '../../harness/net/sts-world.ts';
import { startReceiver } from '../../harness/smtp/mail-receiver.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ENFORCE = ['mode: enforce', 'mx: mx.remote.test'];

t.test('enforce: a good certificate is delivered to, and the policy is fetched once', async (t) => {
  await using world = await startStsWorld({ receiver: { tls: authority.issue('mx.remote.test') } });
  world.publish('1', ENFORCE);
  const ids = await Promise.all([1, 2, 3].map(() => sendFrom(world)));
  for (const id of ids) t.match(await attempted(world, id), { status: 'delivered', tls: /^TLSv1/ });
  t.equal(world.web.requests.length, 1, 'look-ups at one time share a fetch');
  t.same(world.instance.faults, []);
});

const REFUSED_CERTIFICATES = {
  'of an unknown CA': { certificate: selfSigned('mx.remote.test'), said: /not trusted/ },
  'of another host': { certificate: authority.issue('mx.other.test'), said: /altnames|mx\.other\.test/ },
  'that is over': { certificate: authority.issue('mx.remote.test', 'over'), said: /CERT_HAS_EXPIRED/ },
};

for (const [what, { certificate, said }] of Object.entries(REFUSED_CERTIFICATES)) {
  t.test(`enforce: no mail to a host with a certificate ${what}`, async (t) => {
    await using world = await startStsWorld({ receiver: { tls: certificate } });
    world.publish('1', ENFORCE);
    t.match(await attempted(world, await sendFrom(world)), { status: 'deferred', response: said });
    t.same(world.instance.receiver.messages, []);
  });
}

t.test('enforce: no mail to a host without STARTTLS, or whose offer is stripped', async (t) => {
  await using world = await startStsWorld();
  world.publish('1', ENFORCE);
  t.match(await attempted(world, await sendFrom(world)), { status: 'deferred', response: /STARTTLS/ });
  t.same(world.instance.receiver.messages, []);
});

t.test('enforce: STARTTLS is stripped from the host’s EHLO reply', async (t) => {
  await using host = await startReceiver({ tls: authority.issue('mx.remote.test') });
  const between = net.createServer((client) => {
    const server = net.connect(host.port, '127.0.0.1');
    client.pipe(server);
    server.on('data', (chunk: Buffer) =>
      client.write(chunk.toString('latin1').replace('STARTTLS', 'XXXXXXXX'), 'latin1'),
    );
    server.on('close', () => client.destroy()).on('error', () => undefined);
    client.on('close', () => server.destroy()).on('error', () => undefined);
  });
  between.listen(0, '127.0.0.1');
  await once(between, 'listening');
  const { port } = between.address() as AddressInfo;
  {
    await using world = await startStsWorld({ outbound: `port = ${port}` });
    world.publish('1', ENFORCE);
    t.match(await attempted(world, await sendFrom(world)), { status: 'deferred', response: /STARTTLS/ });
  }
  between.close();
  t.same(host.messages, []);
});

t.test('enforce: hosts that the policy does not name are left out', async (t) => {
  const clock = testClock();
  await using world = await startStsWorld({
    runtime: { clock },
    receiver: { tls: authority.issue('mx.remote.test') },
  });
  world.publish('1', ['mode: enforce', 'mx: *.example.test']);
  const delivery = await attempted(world, await sendFrom(world));
  t.match(delivery, { status: 'deferred', response: /names none of its mail servers/ });
  t.equal(world.instance.receiver.connections(), 0);

  world.publish('2', ENFORCE);
  world.instance.dns.zone.set('remote.test', 'MX', [
    { exchange: 'mx.evil.test', priority: 5 },
    { exchange: 'mx.remote.test', priority: 10 },
  ]);
  world.instance.dns.zone.set('mx.evil.test', 'A', ['127.0.0.1']);
  clock.ahead += 20 * MINUTE;
  world.instance.daemon.outbound.wake();
  const [message] = await world.instance.receiver.waitFor(1);
  t.equal(message?.servername, 'mx.remote.test');
});

t.test('testing and none are delivered whatever the certificate', async (t) => {
  for (const mode of ['testing', 'none']) {
    for (const tls of [selfSigned('mx.other.test'), false]) {
      await using world = await startStsWorld({ receiver: { tls } });
      world.publish('1', [`mode: ${mode}`, 'mx: mx.other.test']);
      t.match(
        await attempted(world, await sendFrom(world)),
        { status: 'delivered' },
        `${mode}, ${tls ? 'TLS' : 'clear'}`,
      );
    }
  }
});

t.test('a policy that cannot be fetched counts as none', async (t) => {
  await using world = await startStsWorld({ receiver: { tls: true } });
  world.publish('1', ENFORCE);
  const answers: Parameters<typeof world.web.answer>[0][] = [
    (_request, response) => response.writeHead(404, { 'content-type': 'text/plain' }).end('version: STSv1'),
    (_request, response) => response.writeHead(302, { location: '/elsewhere' }).end(),
    (_request, response) => response.setHeader('content-type', 'text/html').end('version: STSv1'),
    (_request, response) => response.setHeader('content-type', 'text/plain').end('x'.repeat(100_000)),
    (_request, response) => response.destroy(),
  ];
  for (const answer of answers) {
    world.web.answer(answer);
    await world.instance.restart();
    t.match(await attempted(world, await sendFrom(world)), { status: 'delivered' });
  }
  t.equal(world.web.requests.length, answers.length);
  await attempted(world, await sendFrom(world));
  t.equal(world.web.requests.length, answers.length, 'a fetch that failed is not repeated at once');
});

t.test('a policy is refreshed by its id, and outlives the web server, DNS and the daemon', async (t) => {
  const clock = testClock();
  await using world = await startStsWorld({ runtime: { clock }, receiver: { tls: true } });
  world.publish('1', ['mode: none']);
  t.match(await attempted(world, await sendFrom(world)), { status: 'delivered' });
  world.publish('2', ENFORCE);
  clock.ahead += 20 * MINUTE;
  t.match(await attempted(world, await sendFrom(world)), { status: 'deferred' }, 'the new id is seen');
  t.equal(world.web.requests.length, 2);

  world.web.answer((_request, response) => response.destroy());
  world.instance.dns.zone.set('_mta-sts.remote.test', 'TXT', ['v=STSv1; id=3']);
  clock.ahead += 20 * MINUTE;
  t.match(await attempted(world, await sendFrom(world)), { status: 'deferred' }, 'the kept one stands');
  t.equal(world.web.requests.length, 3);

  world.instance.dns.zone.delete('_mta-sts.remote.test');
  await world.instance.restart();
  t.match(
    await attempted(world, await sendFrom(world)),
    { status: 'deferred' },
    'DNS that says nothing does not undo it',
  );
  t.equal(world.web.requests.length, 3);

  clock.ahead += 24 * HOUR;
  await world.instance.daemon.jobs.runAll();
  t.match(await attempted(world, await sendFrom(world)), { status: 'delivered' }, 'it has ended');
  const kept = await world.instance.inStore((store) => store.read.selectFrom('mta_sts_policies').selectAll().execute());
  t.same(kept, [], 'and is forgotten');
});

t.test('a policy older than a day is refreshed while it applies', async (t) => {
  const clock = testClock();
  await using world = await startStsWorld({
    runtime: { clock },
    receiver: { tls: authority.issue('mx.remote.test') },
  });
  world.publish('1', ENFORCE, 604_800);
  await attempted(world, await sendFrom(world));
  clock.ahead += 25 * HOUR;
  t.match(await attempted(world, await sendFrom(world)), { status: 'delivered' });
  await world.web.waitFor(2);
});
