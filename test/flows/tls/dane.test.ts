import { createHash, X509Certificate } from 'node:crypto';
import t from 'tap';
import { selfSigned } from '../../harness/net/certificate.ts';
import type { ZoneValues } from '../../harness/net/dns.ts';
import {
  attempted,
  authority,
  type StsWorld,
  sendFrom,
  startStsWorld,
  testClock,
} from '../../harness/net/sts-world.ts';

const MINUTE = 60_000;
const own = selfSigned('mx.remote.test');

/** 3 1 1, as nearly everybody has it. */
const keyOf = (pem: string): ZoneValues['TLSA'] => {
  const spki = new X509Certificate(pem).publicKey.export({ format: 'der', type: 'spki' });
  return { usage: 3, selector: 1, matchingType: 1, data: createHash('sha256').update(spki).digest() };
};
const authorityIn = (pem: string): ZoneValues['TLSA'] => ({ ...keyOf(pem), usage: 2 });

const tlsaName = ({ instance }: StsWorld): string => `_${instance.receiver.port}._tcp.mx.remote.test`;

/** remote.test is signed, and has these records. */
const publish = (world: StsWorld, records: ZoneValues['TLSA'][], isSigned = true): void => {
  const { zone } = world.instance.dns;
  zone.set(tlsaName(world), 'TLSA', records);
  if (isSigned) zone.sign('remote.test');
};

t.test('the certificate that the records name is delivered to', async (t) => {
  const cases = {
    'its own key': { certificate: own, record: keyOf(own.cert) },
    'its authority': { certificate: authority.issue('mx.remote.test'), record: authorityIn(authority.cert) },
    'its authority, by the name of the domain': {
      certificate: authority.issue('remote.test'),
      record: authorityIn(authority.cert),
    },
  };
  for (const [what, { certificate, record }] of Object.entries(cases)) {
    await using world = await startStsWorld({ receiver: { tls: certificate } });
    publish(world, [record]);
    t.match(await attempted(world, await sendFrom(world)), { status: 'delivered', tls: /^TLS/ }, what);
    t.same(world.instance.faults, []);
  }
});

t.test("another certificate is not, nor one of a name that is not the host's, nor no TLS at all", async (t) => {
  const cases = [
    { tls: selfSigned('mx.other.test'), record: keyOf(own.cert), said: /DANE/ },
    { tls: authority.issue('mx.other.test'), record: authorityIn(authority.cert), said: /not for mx\.remote\.test/ },
    { tls: false, record: keyOf(own.cert), said: /STARTTLS/ },
  ];
  for (const { tls, record, said } of cases) {
    await using world = await startStsWorld({ receiver: { tls } });
    publish(world, [record]);
    t.match(await attempted(world, await sendFrom(world)), { status: 'deferred', response: said });
    t.same(world.instance.receiver.messages, []);
  }
});

t.test('without AD there is no DANE', async (t) => {
  await using world = await startStsWorld({ receiver: { tls: selfSigned('mx.other.test') } });
  publish(world, [keyOf(own.cert)], false);
  t.match(await attempted(world, await sendFrom(world)), { status: 'delivered' });
  t.notOk(
    world.instance.dns.queries.some(({ type }) => type === 'TLSA'),
    'and only the MX is queried',
  );
});

t.test('a signed domain whose host is elsewhere and not signed', async (t) => {
  await using world = await startStsWorld({ receiver: { tls: true } });
  const { zone } = world.instance.dns;
  zone.set('signed.test', 'MX', [{ exchange: 'mx.remote.test', priority: 10 }]);
  zone.sign('signed.test');
  zone.set(tlsaName(world), 'TLSA', [keyOf(own.cert)]);
  t.match(await attempted(world, await sendFrom(world, 'x@signed.test')), { status: 'delivered' });
});

t.test('records that cannot be used: TLS all the same, whatever the certificate', async (t) => {
  for (const tls of [selfSigned('mx.other.test'), false]) {
    await using world = await startStsWorld({ receiver: { tls } });
    publish(world, [{ ...keyOf(own.cert), usage: 1 }]);
    const status = tls ? 'delivered' : 'deferred';
    t.match(await attempted(world, await sendFrom(world)), { status });
  }
});

t.test('a DNS failure defers mail, a signed host without records does not', async (t) => {
  const clock = testClock();
  await using world = await startStsWorld({ runtime: { clock }, receiver: { tls: true } });
  const { dns, daemon, receiver } = world.instance;
  publish(world, []);
  dns.zone.fail(tlsaName(world), 'SERVFAIL');
  const id = await sendFrom(world);
  t.match(await attempted(world, id), { status: 'deferred', response: /TLSA .*SERVFAIL/, enhanced_code: '4.7.5' });
  t.equal(receiver.connections(), 0);
  dns.zone.fail(tlsaName(world), null);
  clock.ahead += 20 * MINUTE;
  daemon.outbound.wake();
  await receiver.waitFor(1);
});

t.test('DANE goes before MTA-STS', async (t) => {
  await using world = await startStsWorld({ receiver: { tls: own } });
  world.publish('1', ['mode: enforce', 'mx: mx.elsewhere.test']);
  publish(world, [keyOf(own.cert)]);
  t.match(await attempted(world, await sendFrom(world)), { status: 'delivered' }, 'its records are satisfied');
  t.same(world.web.requests, [], 'and no policy is fetched');
});

t.test('MTA-STS does not override a DANE failure', async (t) => {
  await using world = await startStsWorld({ receiver: { tls: authority.issue('mx.remote.test') } });
  world.publish('1', ['mode: enforce', 'mx: mx.remote.test']);
  publish(world, [keyOf(own.cert)]);
  t.match(await attempted(world, await sendFrom(world)), { status: 'deferred', response: /DANE/ });
  t.same(world.instance.receiver.messages, []);
  await world.instance.daemon.jobs.runAll();
  const counted = await world.instance.inStore((store) => store.read.selectFrom('tls_results').selectAll().execute());
  t.match(counted, [{ domain: 'remote.test', failure: 'certificate-not-trusted', mx_host: 'mx.remote.test' }]);
  t.match(JSON.parse(counted[0]?.policy ?? ''), {
    type: 'tlsa',
    domain: 'mx.remote.test',
    strings: [/^3 1 1 [0-9A-F]{64}$/],
  });
});
