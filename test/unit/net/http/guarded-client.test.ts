import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import t from 'tap';
import { systemClock } from '../../../../src/kernel/clock.ts';
import { createResolver } from '../../../../src/net/dns/resolver.ts';
import { createGuardedHttp, GuardedHttpError, type GuardedRequest } from '../../../../src/net/http/guarded-client.ts';
import { cidrMatcher } from '../../../../src/net/ip/address-range.ts';
import { startHttpReceiver } from '../../../harness/http/http-receiver.ts';
import { RebindingZone, startDns, Zone } from '../../../harness/net/dns.ts';
import { freePort } from '../../../harness/net/free-port.ts';

const NAME = 'hooks.example.com';

const start = async (zone: Zone, ca: string | null, allowed = ['127.0.0.1/32']) => {
  const dns = await startDns(zone);
  const resolver = createResolver({ servers: [dns.server], timeoutMs: 1000, clock: systemClock });
  const guardedHttp = createGuardedHttp({ resolver, isAllowedPrivate: cidrMatcher(allowed), extraCa: ca });
  const request = (url: string, more: Partial<GuardedRequest> = {}) =>
    guardedHttp.request({ url: new URL(url), method: 'POST', timeoutMs: 5_000, maxResponseBytes: 100, ...more });
  const fault = async (url: string, more: Partial<GuardedRequest> = {}): Promise<GuardedHttpError> => {
    const error = await request(url, more).then(
      () => null,
      (reason: unknown) => reason,
    );
    if (error instanceof GuardedHttpError) return error;
    throw new Error(`No GuardedHttpError: ${error}`);
  };
  const close = async () => {
    guardedHttp.close();
    await dns.close();
  };
  return { dns, request, fault, [Symbol.asyncDispose]: close };
};

const zoneOf = (...addresses: string[]) => new Zone({ [NAME]: { A: addresses } });

t.test('a request reaches a host by its name, and TLS is verified against that name', async (t) => {
  await using receiver = await startHttpReceiver(NAME);
  receiver.answer((_request, response) => response.writeHead(201, { 'x-seen': 'yes' }).end('thanks'));
  const zone = zoneOf('127.0.0.1');
  zone.set('other.example.com', 'A', ['127.0.0.1']);
  await using guardedHttp = await start(zone, receiver.ca);
  const reply = await guardedHttp.request(`https://${NAME}:${receiver.port}/a?b=c`, {
    headers: { 'x-own': '1', Accept: 'text/plain' },
    body: Buffer.from('hello'),
  });
  t.match(reply, { status: 201, headers: { 'x-seen': 'yes' }, truncated: false });
  t.equal(reply.body.toString(), 'thanks');
  t.match(receiver.requests, [
    { path: '/a?b=c', headers: { host: `${NAME}:${receiver.port}`, 'x-own': '1', 'content-length': '5' } },
  ]);
  t.match(receiver.requests[0]?.headers, { 'user-agent': 'Postroom', accept: 'text/plain' }, 'what is given stands');
  t.equal(receiver.requests[0]?.body.toString(), 'hello');
  t.same(
    guardedHttp.dns.queries.map(({ type }) => type).sort(),
    ['A', 'AAAA'],
    'DNS is asked once, and the connection asks no more',
  );

  const wrongName = await guardedHttp.fault(`https://other.example.com:${receiver.port}/`);
  t.match(wrongName, { fault: 'connection', code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  await using untrusting = await start(zoneOf('127.0.0.1'), null);
  t.match(await untrusting.fault(`https://${NAME}:${receiver.port}/`), { fault: 'connection' });
  const hostHeader = { headers: { host: NAME } };
  t.match(await guardedHttp.fault(`https://other.example.com:${receiver.port}/`, hostHeader), { fault: 'connection' });
  t.equal(receiver.requests.length, 1);
});

const PRIVATE = [
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.2',
  '169.254.169.254',
  '172.16.0.1',
  '192.0.2.1',
  '192.168.1.1',
  '224.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[::ffff:10.0.0.1]',
  '[::ffff:7f00:2]',
  '[64:ff9b::10.0.0.1]',
  '[64:ff9b:1::1]',
  '[2002:a00:1::]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[ff02::1]',
  // The same addresses as URLs may write them.
  '0x7f.0.0.2',
  '2130706434',
  '0177.0.0.2',
];

t.test('private addresses are not reached, as literals or by DNS', async (t) => {
  const zone = new Zone();
  await using guardedHttp = await start(zone, null);
  for (const host of PRIVATE) {
    t.match(await guardedHttp.fault(`https://${host}/`), { fault: 'private_address' }, host);
    const address = new URL(`https://${host}/`).hostname.replace(/[[\]]/g, '');
    zone.set(NAME, 'A', address.includes(':') ? ['203.0.114.1'] : [address]);
    zone.set(NAME, 'AAAA', address.includes(':') ? [address] : []);
    t.match(await guardedHttp.fault(`https://${NAME}/`), { fault: 'private_address' }, `${host}, by DNS`);
  }
});

t.test('one private address among public ones is enough to refuse', async (t) => {
  await using guardedHttp = await start(zoneOf('203.0.114.1', '10.0.0.1'), null);
  t.match(await guardedHttp.fault(`https://${NAME}/`), { fault: 'private_address' });
});

t.test('localhost is loopback, whatever DNS says', async (t) => {
  const zone = new Zone({ localhost: { A: ['203.0.114.1'] } });
  await using guardedHttp = await start(zone, null, []);
  for (const host of ['localhost', 'a.localhost', 'LOCALHOST.']) {
    t.match(await guardedHttp.fault(`https://${host}/`), { fault: 'private_address' }, host);
  }
  t.same(guardedHttp.dns.queries, []);
});

t.test('a DNS server that changes its answer gains nothing', async (t) => {
  await using permitted = await startHttpReceiver(NAME);
  let reached = 0;
  const forbidden = createServer((socket) => {
    reached += 1;
    socket.destroy();
  });
  forbidden.listen(permitted.port, '127.0.0.2');
  t.teardown(() => forbidden.close());

  await using checkedFirst = await start(new RebindingZone(NAME, '127.0.0.1', '127.0.0.2'), permitted.ca);
  const url = `https://${NAME}:${permitted.port}/`;
  t.match(await checkedFirst.request(url), { status: 200 }, 'the connection goes to the address that was checked');
  t.match(await checkedFirst.fault(url), { fault: 'private_address' }, 'the next request is checked anew');
  t.equal(checkedFirst.dns.queries.filter(({ type }) => type === 'A').length, 2);

  await using kept = await start(new RebindingZone(NAME, '127.0.0.1', '127.0.0.2'), permitted.ca);
  t.match(await kept.request(url, { pool: 'one' }), { status: 200 });
  t.match(await kept.fault(url, { pool: 'one' }), { fault: 'private_address' }, 'also where a connection is kept');
  t.equal(reached, 0);
  t.equal(permitted.requests.length, 2);
});

t.test('no redirect is followed', async (t) => {
  await using receiver = await startHttpReceiver(NAME);
  receiver.answer((_request, response) => response.writeHead(307, { location: '/elsewhere' }).end());
  await using guardedHttp = await start(zoneOf('127.0.0.1'), receiver.ca);
  const reply = await guardedHttp.request(`https://${NAME}:${receiver.port}/`);
  t.match(reply, { status: 307, headers: { location: '/elsewhere' } });
  t.equal(receiver.requests.length, 1);
});

t.test('credentials in a URL and other protocols are refused', async (t) => {
  await using guardedHttp = await start(zoneOf('127.0.0.1'), null);
  for (const url of [`https://user@${NAME}/`, `https://:word@${NAME}/`, `http://${NAME}/`, 'file:///etc/passwd']) {
    t.match(await guardedHttp.fault(url), { fault: 'url' }, url);
  }
  t.match(await guardedHttp.fault('ftp://127.0.0.1/', { allowPlain: true }), { fault: 'url' });
  t.same(guardedHttp.dns.queries, []);
});

t.test('what does not resolve, and what nobody listens on', async (t) => {
  const zone = zoneOf('127.0.0.1');
  zone.fail('broken.example.com', 'SERVFAIL');
  await using guardedHttp = await start(zone, null);
  t.match(await guardedHttp.fault('https://nowhere.example.com/'), { fault: 'dns' });
  t.match(await guardedHttp.fault('https://broken.example.com/'), { fault: 'dns', message: /ESERVFAIL/ });
  t.match(await guardedHttp.fault(`https://${NAME}:${await freePort()}/`), {
    fault: 'connection',
    code: 'ECONNREFUSED',
  });
});

t.test('an answer is bounded in bytes', async (t) => {
  await using receiver = await startHttpReceiver(NAME);
  receiver.answer((_request, response) => {
    const more = () => response.write('x'.repeat(16_384)) && setImmediate(more);
    response.on('drain', more);
    more();
  });
  await using guardedHttp = await start(zoneOf('127.0.0.1'), receiver.ca);
  const reply = await guardedHttp.request(`https://${NAME}:${receiver.port}/`);
  t.match(reply, { status: 200, truncated: true });
  t.equal(reply.body.length, 100);
});

t.test('an answer is bounded in time: silence, a drip, DNS that says nothing', async (t) => {
  await using receiver = await startHttpReceiver(NAME);
  const zone = zoneOf('127.0.0.1');
  zone.fail('silent.example.com', 'silent');
  await using guardedHttp = await start(zone, receiver.ca);
  const url = `https://${NAME}:${receiver.port}/`;
  receiver.answer(() => undefined);
  t.match(await guardedHttp.fault(url, { timeoutMs: 200 }), { fault: 'time_out' });
  receiver.answer((_request, response) => {
    const drip = setInterval(() => response.write('.'), 20);
    response.on('close', () => clearInterval(drip));
  });
  t.match(await guardedHttp.fault(url, { timeoutMs: 300 }), { fault: 'time_out' });
  t.match(await guardedHttp.fault('https://silent.example.com/', { timeoutMs: 100 }), { fault: 'time_out' });
  const held: Socket[] = [];
  const mute = createServer((socket) => held.push(socket.on('error', () => undefined)));
  const port = await freePort();
  await once(mute.listen(port, '127.0.0.1'), 'listening');
  t.teardown(() => {
    // The client's connection lasts until it is made or its time is over, whatever became of the request.
    for (const socket of held) socket.destroy();
    mute.close();
  });
  t.match(await guardedHttp.fault(`https://${NAME}:${port}/`, { timeoutMs: 200 }), { fault: 'time_out' });
});

t.test('the caller may call it off', async (t) => {
  await using receiver = await startHttpReceiver(NAME);
  receiver.answer(() => undefined);
  await using guardedHttp = await start(zoneOf('127.0.0.1'), receiver.ca);
  const controller = new AbortController();
  const fault = guardedHttp.fault(`https://${NAME}:${receiver.port}/`, { signal: controller.signal });
  await receiver.waitFor(1);
  controller.abort();
  t.match(await fault, { fault: 'aborted' });
});

t.test('connections are kept within a pool, and no pool has those of another', async (t) => {
  await using receiver = await startHttpReceiver(NAME);
  await using guardedHttp = await start(zoneOf('127.0.0.1'), receiver.ca);
  const url = `https://${NAME}:${receiver.port}/`;
  for (const pool of ['one', 'one', 'one', 'two', 'two']) await guardedHttp.request(url, { pool });
  t.equal(receiver.connections, 2);
  await guardedHttp.request(url);
  await guardedHttp.request(url);
  t.equal(receiver.connections, 4, 'without a pool each has its own');
  receiver.closeIdle();
  t.match(
    await guardedHttp.request(url, { pool: 'one' }),
    { status: 200 },
    'a connection that its peer closed is replaced',
  );
});

t.test('a kept connection is not used once its name leads elsewhere', async (t) => {
  await using first = await startHttpReceiver(NAME);
  await using second = await startHttpReceiver(NAME, first.port, '127.0.0.2');
  const zone = zoneOf('127.0.0.1');
  await using guardedHttp = await start(zone, first.ca, ['127.0.0.0/8']);
  const url = `https://${NAME}:${first.port}/`;
  await guardedHttp.request(url, { pool: 'one' });
  zone.set(NAME, 'A', ['127.0.0.2']);
  await guardedHttp.request(url, { pool: 'one' });
  t.equal(first.requests.length, 1);
  t.equal(second.requests.length, 1);
});
