import t from 'tap';
import type { Clock } from '../../../../src/kernel/clock.ts';
import { systemClock } from '../../../../src/kernel/clock.ts';
import { createResolver } from '../../../../src/net/dns/resolver.ts';
import { startDns } from '../../../harness/net/dns.ts';

const zone = () => ({
  'example.com': {
    A: ['192.0.2.1', '192.0.2.2'],
    AAAA: ['2001:db8::1'],
    MX: [
      { exchange: 'mx.example.com', priority: 10 },
      { exchange: '', priority: 0 },
    ],
    NS: ['ns.example.com'],
    TXT: ['v=spf1 -all', 'x'.repeat(600)],
  },
  'alias.example.com': { CNAME: ['example.com'] },
  '1.2.0.192.in-addr.arpa': { PTR: ['example.com'] },
});

const cached = { maxEntries: 2, positiveMs: 1000, negativeMs: 100 };

t.test('records have the shapes of node:dns', async (t) => {
  await using dns = await startDns(zone());
  const { resolve } = createResolver({ servers: [dns.server], timeoutMs: 2000, clock: systemClock });
  t.same((await resolve('example.com', 'A')).sort(), ['192.0.2.1', '192.0.2.2']);
  t.same(await resolve('EXAMPLE.com', 'AAAA'), ['2001:db8::1']);
  t.same(await resolve('alias.example.com', 'AAAA'), ['2001:db8::1'], 'over a CNAME');
  t.same(await resolve('example.com', 'NS'), ['ns.example.com']);
  t.same(await resolve('1.2.0.192.in-addr.arpa', 'PTR'), ['example.com']);
  const records = (await resolve('example.com', 'MX')).sort((a, b) => a.priority - b.priority);
  t.match(records, [
    { exchange: '', priority: 0 },
    { exchange: 'mx.example.com', priority: 10 },
  ]);
  const texts = (await resolve('example.com', 'TXT')).sort((a, b) => a.length - b.length);
  t.same(texts, [['v=spf1 -all'], ['x'.repeat(255), 'x'.repeat(255), 'x'.repeat(90)]]);
});

t.test('an answer too large for UDP comes over TCP', async (t) => {
  await using dns = await startDns({
    'big.example': { TXT: Array.from({ length: 12 }, (_, at) => `${at}`.repeat(400)) },
  });
  const { resolve } = createResolver({ servers: [dns.server], timeoutMs: 2000, clock: systemClock });
  t.equal((await resolve('big.example', 'TXT')).length, 12);
  t.ok(dns.queries.some(({ transport }) => transport === 'tcp'));
});

t.test('no name, no record and a failing server are told apart', async (t) => {
  await using dns = await startDns(zone());
  const { resolve } = createResolver({ servers: [dns.server], timeoutMs: 2000, clock: systemClock });
  await t.rejects(resolve('nowhere.example.com', 'A'), { code: 'ENOTFOUND' });
  await t.rejects(resolve('1.2.0.192.in-addr.arpa', 'A'), { code: 'ENODATA' });
  await t.rejects(resolve('192.in-addr.arpa', 'A'), { code: 'ENODATA' }, 'a name with names under it');
  dns.zone.fail('example.com', 'SERVFAIL');
  await t.rejects(resolve('example.com', 'A'), { code: 'ESERVFAIL' });
  dns.zone.fail('example.com', null);
  t.equal((await resolve('example.com', 'A')).length, 2, 'without a cache nothing of it is kept');
});

t.test('what one server refuses to tell, or cannot, the next one is asked', async (t) => {
  await using first = await startDns(zone());
  await using second = await startDns({ ...zone(), 'nowhere.example.com': { A: ['192.0.2.9'] } });
  const servers = [first.server, second.server];
  const { resolve } = createResolver({ servers, timeoutMs: 5_000, clock: systemClock });
  for (const fault of ['REFUSED', 'SERVFAIL'] as const) {
    first.zone.fail('example.com', fault);
    t.equal((await resolve('example.com', 'A')).length, 2, fault);
  }
  second.zone.fail('example.com', 'SERVFAIL');
  await t.rejects(resolve('example.com', 'A'), { code: 'ESERVFAIL' }, 'none of them tells');
  await t.rejects(
    resolve('nowhere.example.com', 'A'),
    { code: 'ENOTFOUND' },
    'that a name does not exist is an answer',
  );
});

t.test('a question without an answer ends in time', async (t) => {
  await using dns = await startDns(zone());
  dns.zone.fail('example.com', 'silent');
  const { resolve } = createResolver({ servers: [dns.server], timeoutMs: 300, clock: systemClock });
  await t.rejects(resolve('example.com', 'A'), { code: 'ETIMEOUT' });
});

t.test('a name may take long beside others that are answered at once', async (t) => {
  await using dns = await startDns(zone());
  const { resolve } = createResolver({ servers: [dns.server], timeoutMs: 10_000, clock: systemClock });
  for (let asked = 0; asked < 100; asked += 1) await resolve('example.com', 'A');
  dns.zone.fail('alias.example.com', 'silent');
  const answer = resolve('alias.example.com', 'A');
  for (const end = performance.now() + 2_000; performance.now() < end; ) await resolve('example.com', 'A');
  dns.zone.fail('alias.example.com', null);
  t.equal((await answer).length, 2);
});

t.test('the cache holds answers and absences for their time, and failures not at all', async (t) => {
  await using dns = await startDns(zone());
  let now = 0;
  const clock: Clock = { now: () => now };
  const { resolve } = createResolver({ servers: [dns.server], timeoutMs: 2000, cache: cached, clock });
  const asked = () => dns.queries.splice(0).length;

  (await resolve('example.com', 'A')).pop();
  t.equal((await resolve('Example.com.', 'A')).length, 2, 'a caller that changes its answer changes only its own');
  t.equal(asked(), 1);
  now = 1000;
  await resolve('example.com', 'A');
  t.equal(asked(), 1, 'asked again once its time is over');

  await t.rejects(resolve('nowhere.example', 'A'), { code: 'ENOTFOUND' });
  await t.rejects(resolve('nowhere.example', 'A'), { code: 'ENOTFOUND' });
  t.equal(asked(), 1);
  now = 1100;
  await t.rejects(resolve('nowhere.example', 'A'));
  t.equal(asked(), 1, 'an absence is forgotten sooner');

  dns.zone.fail('example.com', 'REFUSED');
  await t.rejects(resolve('example.com', 'AAAA'));
  dns.zone.fail('example.com', null);
  t.same(await resolve('example.com', 'AAAA'), ['2001:db8::1']);
  asked();
  now = -1_000_000;
  await resolve('example.com', 'A');
  t.equal(asked(), 1, 'the clock was set back');
});

t.test('the cache is bounded, and the least recently used goes first', async (t) => {
  await using dns = await startDns(zone());
  const { resolve } = createResolver({
    servers: [dns.server],
    timeoutMs: 2000,
    cache: cached,
    clock: { now: () => 0 },
  });
  await resolve('example.com', 'A');
  await resolve('example.com', 'AAAA');
  await resolve('example.com', 'A');
  await resolve('example.com', 'NS');
  dns.queries.length = 0;
  await resolve('example.com', 'A');
  t.equal(dns.queries.length, 0, 'used in between: kept');
  await resolve('example.com', 'AAAA');
  t.equal(dns.queries.length, 1, 'gone');
});

t.test('equal questions at one time are one question', async (t) => {
  await using dns = await startDns(zone());
  const { resolve } = createResolver({ servers: [dns.server], timeoutMs: 2000, clock: systemClock });
  const answers = await Promise.all([resolve('example.com', 'NS'), resolve('example.com', 'NS')]);
  t.equal(dns.queries.length, 1);
  t.same(answers[0], answers[1]);
  t.not(answers[0], answers[1]);
});

t.test('a thousand questions at one time overflow no buffer: none has to be repeated', async (t) => {
  const names = Array.from({ length: 1000 }, (_, at) => `d${at}.example.com`);
  await using dns = await startDns(Object.fromEntries(names.map((name) => [name, { A: ['192.0.2.1'] }])));
  const { resolve } = createResolver({ servers: [dns.server], timeoutMs: 60_000, clock: systemClock });
  const answers = await Promise.all(names.map((name) => resolve(name, 'A')));
  t.equal(answers.length, 1000);
  t.same(dns.queries.map(({ name }) => name).toSorted(), names.toSorted());
});
