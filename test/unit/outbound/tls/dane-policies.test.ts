import t from 'tap';
import { createDnssecResolver } from '../../../../src/net/dns/dnssec-resolver.ts';
import { createDanePolicies } from '../../../../src/outbound/tls/dane-policies.ts';
import { startDns } from '../../../harness/net/dns.ts';

const TLSA = { usage: 3, selector: 1, matchingType: 1, data: Buffer.alloc(32, 7) };
const FOUND = { kind: 'records', records: [TLSA] };

const start = async () => {
  const dns = await startDns({
    'signed.test': { MX: [{ exchange: 'MX.signed.test', priority: 10 }] },
    'mx.signed.test': { AAAA: ['2001:db8::1'] },
    'bare.signed.test': { A: ['192.0.2.1'] },
    '_25._tcp.mx.signed.test': { TLSA: [TLSA] },
    '_25._tcp.bare.signed.test': { TLSA: [TLSA] },
  });
  dns.zone.sign('signed.test');
  const clock = { now: () => 1 };
  const policies = createDanePolicies({ lookup: createDnssecResolver({ servers: [dns.server], clock }), port: 25 });
  return {
    dns,
    find: (domain: string, ...names: string[]) =>
      policies.find(
        domain,
        names.map((name) => ({ name, addresses: [] })),
      ),
  };
};

t.test('a host of signed records, by IPv6 alone; a domain that is its own host', async (t) => {
  const { dns, find } = await start();
  await using _ = dns;
  t.same(await find('signed.test', 'mx.signed.test'), [FOUND]);
  t.same(await find('bare.signed.test', 'bare.signed.test'), [FOUND]);
});

t.test('a host that the signed MX records do not name is forged', async (t) => {
  const { dns, find } = await start();
  await using _ = dns;
  t.match(await find('signed.test', 'mx.evil.test', 'mx.signed.test'), [
    { kind: 'deferred', reason: /mx\.evil\.test/ },
    FOUND,
  ]);
});

t.test('every query that fails defers', async (t) => {
  for (const name of ['signed.test', 'mx.signed.test', '_25._tcp.mx.signed.test']) {
    const { dns, find } = await start();
    await using _ = dns;
    dns.zone.fail(name, 'SERVFAIL');
    t.match(await find('signed.test', 'mx.signed.test'), [{ kind: 'deferred', reason: /SERVFAIL/ }], name);
  }
});

t.test('without a validating resolver no query is made', async (t) => {
  const lookup = { isOn: false, query: () => t.fail('asked') as never };
  t.same(await createDanePolicies({ lookup, port: 25 }).find('a.test', [{ name: 'b.test', addresses: [] }]), [
    { kind: 'none' },
  ]);
});
