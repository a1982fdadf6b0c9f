import t from 'tap';
import type { DoctorNeeds } from '../../../../src/doctor/check.ts';
import { checkHost, checkReputation } from '../../../../src/doctor/checks/host.ts';
import { createResolver } from '../../../../src/net/dns/resolver.ts';
import { findSourceAddresses, listInterfaceAddresses } from '../../../../src/net/ip/own-addresses.ts';
import { startDns } from '../../../harness/net/dns.ts';

t.test('a block list that refuses the resolver is not taken for one without the address', async (t) => {
  await using dns = await startDns();
  const resolver = createResolver({ servers: [dns.server], timeoutMs: 2_000, clock: { now: Date.now } });
  const examine = (...dnsbl: string[]) =>
    checkReputation({
      config: { hostname: 'mx.box.test', outbound: {}, scan: { dnsbl } },
      resolver,
    } as unknown as DoctorNeeds);
  dns.zone.set('mx.box.test', 'A', ['1.2.3.4']);
  dns.zone.set('2.0.0.127.list.test', 'A', ['127.0.0.2']);
  for (const name of ['4.3.2.1', '2.0.0.127']) dns.zone.set(`${name}.shared.test`, 'A', ['127.255.255.254']);

  t.match(await examine('list.test', 'shared.test'), [
    { status: 'ok', detail: '1.2.3.4 is on none of list.test.' },
    { status: 'warn', detail: /^shared\.test does not answer this machine/ },
  ]);
  t.match(await examine('shared.test'), [{ status: 'warn' }]);
  t.match(await examine(), [{ status: 'skipped', detail: /^zen\.spamhaus\.org, .* does not answer/ }]);
  dns.zone.set('4.3.2.1.list.test', 'A', ['127.0.0.4']);
  t.match(await examine('list.test'), [{ status: 'fail', detail: '1.2.3.4 is on list.test.' }]);
});

t.test('an address that mail leaves by, and that the host is not published at', async (t) => {
  await using dns = await startDns();
  const resolver = createResolver({ servers: [dns.server], timeoutMs: 2_000, clock: { now: Date.now } });
  dns.zone.set('mx.box.test', 'A', ['1.2.3.4']);
  dns.zone.set('mx.box.test', 'AAAA', ['2a01:4f8::1']);
  const examine = async (sourceAddresses: string[], outbound = {}) => {
    const config = { hostname: 'mx.box.test', public_url: 'https://mx.box.test', smtp: { listen: [] }, outbound };
    const needs = { config, resolver, ownAddresses: [], sourceAddresses, isServing: false };
    return (await checkHost(needs as unknown as DoctorNeeds)).filter(({ name }) => name === 'source_address');
  };
  t.match(await examine(['1.2.3.4', '2a01:4f8::abcd']), [
    { status: 'warn', detail: /^Mail leaves by 2a01:4f8::abcd, which mx\.box\.test is not/, fix: /source_addresses/ },
  ]);
  t.same(await examine(['10.0.0.1', '2a01:4f8::1']), [], 'an address translation gives it another');
  t.same(await examine(['1.2.3.5'], { smarthost: { host: 'relay.test' } }), []);
});

t.test('the system is asked for the addresses that it sends from', async (t) => {
  const own = listInterfaceAddresses();
  for (const address of await findSourceAddresses()) t.ok(own.includes(address), address);
});
