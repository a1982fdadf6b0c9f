import t from 'tap';
import type { DoctorNeeds } from '../../../../src/doctor/check.ts';
import { checkReputation } from '../../../../src/doctor/checks/host.ts';
import { createResolver } from '../../../../src/net/dns/resolver.ts';
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
