import t from 'tap';
import { checkIprev } from '../../../../src/net/dns/iprev.ts';
import { createResolver } from '../../../../src/net/dns/resolver.ts';
import { iprevName, startDns } from '../../../harness/net/dns.ts';

t.test('names of addresses, and whether they lead back', async (t) => {
  await using dns = await startDns();
  const resolver = createResolver({ servers: [dns.server], timeoutMs: 2_000, clock: { now: Date.now } });
  const { zone } = dns;
  zone.set(iprevName('192.0.2.1'), 'PTR', ['mail.remote.test']);
  zone.set('mail.remote.test', 'A', ['192.0.2.9', '192.0.2.1']);
  zone.set(iprevName('192.0.2.2'), 'PTR', ['other.test', 'mail2.remote.test']);
  zone.set('mail2.remote.test', 'A', ['192.0.2.2']);
  zone.set(iprevName('192.0.2.3'), 'PTR', ['mail.remote.test']);
  zone.set(`1.${'0.'.repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa`, 'PTR', ['six.remote.test']);
  zone.set('six.remote.test', 'AAAA', ['2001:db8:0::1']);
  zone.fail(iprevName('192.0.2.5'), 'SERVFAIL');

  const look = (ip: string) => checkIprev(ip, resolver);
  t.same(await look('192.0.2.1'), { state: 'confirmed', name: 'mail.remote.test' });
  t.same(await look('::ffff:192.0.2.1'), { state: 'confirmed', name: 'mail.remote.test' });
  t.same(await look('192.0.2.2'), { state: 'confirmed', name: 'mail2.remote.test' }, 'any of its names');
  t.same(await look('192.0.2.3'), { state: 'unconfirmed', name: 'mail.remote.test' });
  t.same(await look('2001:db8::1'), { state: 'confirmed', name: 'six.remote.test' });
  t.same(await look('192.0.2.4'), { state: 'none', name: null });
  t.same(await look('192.0.2.5'), { state: 'unknown', name: null }, 'DNS did not say');
  t.same(await look('no address'), { state: 'unknown', name: null });
});
