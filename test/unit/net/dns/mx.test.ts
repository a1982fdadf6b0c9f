import t from 'tap';
import { systemClock } from '../../../../src/kernel/clock.ts';
import { type RandomFraction, resolveRoute } from '../../../../src/net/dns/mx.ts';
import { createResolver } from '../../../../src/net/dns/resolver.ts';
import { startDns, type Zone } from '../../../harness/net/dns.ts';

const routeOf = async (domain: string, arrange: (zone: Zone) => void, random?: RandomFraction) => {
  await using dns = await startDns();
  arrange(dns.zone);
  const resolver = createResolver({ servers: [dns.server], timeoutMs: 1000, clock: systemClock });
  // Awaited here: the server goes when this block ends.
  return await resolveRoute(domain, resolver, random);
};

t.test('hosts come in the order of their preference, with both families', async (t) => {
  const route = await routeOf('example.com', (zone) => {
    zone.set('example.com', 'MX', [
      { exchange: 'backup.example.com', priority: 20 },
      { exchange: 'mx.example.com', priority: 10 },
    ]);
    zone.set('mx.example.com', 'A', ['192.0.2.1']);
    zone.set('mx.example.com', 'AAAA', ['2001:db8::1']);
    zone.set('backup.example.com', 'A', ['192.0.2.2']);
  });
  t.same(route, {
    kind: 'hosts',
    hosts: [
      { name: 'mx.example.com', addresses: ['192.0.2.1', '2001:db8::1'] },
      { name: 'backup.example.com', addresses: ['192.0.2.2'] },
    ],
  });
});

t.test('hosts of equal preference are shuffled', async (t) => {
  const arrange = (zone: Zone) => {
    zone.set(
      'example.com',
      'MX',
      ['a', 'b', 'c'].map((name) => ({ exchange: `${name}.example.com`, priority: 10 })),
    );
    for (const name of ['a', 'b', 'c']) zone.set(`${name}.example.com`, 'A', ['192.0.2.1']);
  };
  const orders = new Set<string>();
  for (const fractions of [
    [0.1, 0.2, 0.3],
    [0.3, 0.2, 0.1],
    [0.2, 0.3, 0.1],
  ]) {
    const route = await routeOf('example.com', arrange, () => fractions.shift() ?? 0);
    orders.add(route.kind === 'hosts' ? route.hosts.map(({ name }) => name).join() : route.kind);
  }
  t.equal(orders.size, 3);
});

t.test('five addresses are enough, and one family does not keep the other out', async (t) => {
  const route = await routeOf('example.com', (zone) => {
    zone.set('example.com', 'MX', [
      { exchange: 'mx.example.com', priority: 10 },
      { exchange: 'backup.example.com', priority: 20 },
    ]);
    zone.set(
      'mx.example.com',
      'A',
      Array.from({ length: 8 }, (_, at) => `192.0.2.${at}`),
    );
    zone.set('mx.example.com', 'AAAA', ['2001:db8::1']);
    zone.set('backup.example.com', 'A', ['192.0.2.99']);
  });
  t.match(route, { kind: 'hosts', hosts: [{ name: 'mx.example.com' }] });
  const addresses = route.kind === 'hosts' ? route.hosts.flatMap((host) => host.addresses) : [];
  t.equal(addresses.length, 5);
  t.ok(addresses.includes('2001:db8::1'));
});

t.test('without MX records the domain itself is the host', async (t) => {
  const route = await routeOf('example.com', (zone) => zone.set('example.com', 'AAAA', ['2001:db8::1']));
  t.same(route, { kind: 'hosts', hosts: [{ name: 'example.com', addresses: ['2001:db8::1'] }] });
});

t.test('with MX records it is not, although it has an address', async (t) => {
  const route = await routeOf('example.com', (zone) => {
    zone.set('example.com', 'A', ['192.0.2.1']);
    zone.set('example.com', 'MX', [{ exchange: 'gone.example.com', priority: 10 }]);
  });
  t.same(route, { kind: 'no-such-domain' });
});

t.test('a null MX', async (t) => {
  const route = await routeOf('example.com', (zone) => {
    zone.set('example.com', 'A', ['192.0.2.1']);
    zone.set('example.com', 'MX', [{ exchange: '', priority: 0 }]);
  });
  t.same(route, { kind: 'null-mx' });
});

t.test('no such domain, and a domain that has nothing to take mail', async (t) => {
  t.same(await routeOf('example.com', () => undefined), { kind: 'no-such-domain' });
  t.same(await routeOf('example.com', (zone) => zone.set('example.com', 'TXT', ['x'])), { kind: 'no-such-domain' });
});

t.test('what DNS fails to say is temporary', async (t) => {
  const failing = await routeOf('example.com', (zone) => zone.fail('example.com', 'SERVFAIL'));
  t.match(failing, { kind: 'temporary', reason: 'DNS MX example.com: ESERVFAIL' });
  const half = (alive: boolean) => (zone: Zone) => {
    zone.set('example.com', 'MX', [
      { exchange: 'mx.example.com', priority: 10 },
      { exchange: 'backup.example.com', priority: 20 },
    ]);
    zone.fail('mx.example.com', 'SERVFAIL');
    if (alive) zone.set('backup.example.com', 'A', ['192.0.2.2']);
  };
  t.match(await routeOf('example.com', half(true)), { kind: 'hosts', hosts: [{ name: 'backup.example.com' }] });
  t.match(await routeOf('example.com', half(false)), { kind: 'temporary', reason: /mx\.example\.com: ESERVFAIL/ });
});
