import t from 'tap';
import { createDnssecResolver } from '../../../../src/net/dns/dnssec-resolver.ts';
import { startDns } from '../../../harness/net/dns.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const record = { usage: 3, selector: 1, matchingType: 1, data: Buffer.alloc(32, 7) };

const start = async () => {
  const dns = await startDns({
    'signed.test': { MX: [{ exchange: 'mx.signed.test', priority: 10 }] },
    'mx.signed.test': { A: ['192.0.2.1'] },
    'alias.signed.test': { CNAME: ['mx.signed.test'] },
    '_25._tcp.mx.signed.test': { TLSA: [record] },
    'plain.test': { MX: [{ exchange: 'mx.plain.test', priority: 10 }] },
  });
  dns.zone.sign('signed.test');
  const clock = { at: 1_000_000, now: () => clock.at };
  return { dns, clock, lookup: createDnssecResolver({ servers: [dns.server], clock }) };
};

t.test('what the resolver has validated, and what not', async (t) => {
  const { dns, lookup } = await start();
  await using _ = dns;
  t.match(await lookup.query('signed.test', 'MX'), {
    isSecure: true,
    records: [{ data: { exchange: 'mx.signed.test' } }],
  });
  t.match(await lookup.query('plain.test', 'MX'), {
    isSecure: false,
    records: [{ data: { exchange: 'mx.plain.test' } }],
  });
  const tlsa = await lookup.query('_25._tcp.MX.signed.test', 'TLSA');
  t.match(tlsa, {
    isSecure: true,
    records: [{ data: { usage: 3, selector: 1, matchingType: 1, certificate: record.data } }],
  });
  t.match(await lookup.query('alias.signed.test', 'A'), { isSecure: true, records: [{ data: '192.0.2.1' }] });
  t.same(await lookup.query('mx.signed.test', 'AAAA'), { kind: 'answer', isSecure: true, records: [] }, 'NODATA');
  t.same(await lookup.query('no.plain.test', 'A'), { kind: 'answer', isSecure: false, records: [] }, 'NXDOMAIN');
});

t.test('failures are told, and not remembered', async (t) => {
  const { dns, lookup } = await start();
  await using _ = dns;
  for (const fault of ['SERVFAIL', 'REFUSED'] as const) {
    dns.zone.fail('signed.test', fault);
    t.same(await lookup.query('signed.test', 'MX'), { kind: 'failed', reason: `DNS MX signed.test: ${fault}` });
  }
  dns.zone.fail('signed.test', null);
  t.match(await lookup.query('signed.test', 'MX'), { isSecure: true });
  dns.zone.fail('mx.signed.test', 'silent');
  t.match(await lookup.query('mx.signed.test', 'A'), { kind: 'failed', reason: /no answer in time/ });
});

t.test('what is too long for UDP comes by TCP', async (t) => {
  const { dns, lookup } = await start();
  await using _ = dns;
  dns.zone.fail('signed.test', 'truncated');
  dns.zone.set(
    'signed.test',
    'MX',
    Array.from({ length: 200 }, (_, at) => ({ exchange: `mx${at}.signed.test`, priority: at })),
  );
  const answer = await lookup.query('signed.test', 'MX');
  t.match(answer, { isSecure: true });
  t.equal(answer.kind === 'answer' && answer.records.length, 200);
  t.same(
    dns.queries.map(({ transport }) => transport),
    ['udp', 'tcp'],
  );
});

t.test('questions are asked once at a time, and answers hold as long as they say', async (t) => {
  const { dns, clock, lookup } = await start();
  await using _ = dns;
  await Promise.all([1, 2, 3].map(() => lookup.query('signed.test', 'MX')));
  clock.at += 59 * SECOND;
  await lookup.query('SIGNED.test', 'MX');
  t.equal(dns.queries.length, 1);
  clock.at += 2 * SECOND;
  await lookup.query('signed.test', 'MX');
  t.equal(dns.queries.length, 2);
  clock.at -= 2 * HOUR;
  await lookup.query('signed.test', 'MX');
  t.equal(dns.queries.length, 3, 'the clock was set back');
});

t.test('a name that no packet holds is a failure, not a fault', async (t) => {
  const { dns, lookup } = await start();
  await using _ = dns;
  const answer = await lookup.query(`${'x'.repeat(80)}.signed.test`, 'A');
  t.notOk(answer.kind === 'answer' && answer.isSecure);
});
