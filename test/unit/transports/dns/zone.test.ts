import t from 'tap';
import { BASE, edns, HOST, openDnsBox, rcodeOf, recordsOf } from './dns-box.ts';

const NOERROR = 0;
const NXDOMAIN = 3;
const REFUSED = 5;

const seen = (records: readonly object[] | undefined) =>
  (records ?? []).map((each) => {
    const { name, type, data } = each as { name: string; type: string; data: unknown };
    return [name, type, Array.isArray(data) ? Buffer.concat(data as Buffer[]).toString() : data];
  });

const SOA = [
  BASE,
  'SOA',
  {
    mname: HOST,
    rname: `hostmaster.${BASE}`,
    serial: 7,
    refresh: 3_600,
    retry: 600,
    expire: 604_800,
    minimum: 60,
  },
];

t.test('what the zone has', async (t) => {
  const { ask, faults } = openDnsBox();
  const acme = `acme.${BASE}`;
  const mx = await ask(acme, 'MX');
  t.same(seen(mx.answers), [[acme, 'MX', { preference: 10, exchange: HOST }]]);
  t.ok(mx.flag_aa);
  t.notOk(mx.flag_ra);
  t.same(seen((await ask(`pr1._domainkey.${acme}`, 'TXT', edns())).answers), [
    [`pr1._domainkey.${acme}`, 'TXT', recordsOf(acme, HOST)[3]?.value],
  ]);
  t.same(seen((await ask(BASE, 'SOA')).answers), [SOA]);
  const ns = await ask(BASE, 'NS');
  t.same(seen(ns.answers), [[BASE, 'NS', HOST]]);
  t.same(seen(ns.additionals), [
    [HOST, 'A', '192.0.2.1'],
    [HOST, 'AAAA', '2001:db8::1'],
  ]);
  t.same(seen((await ask(HOST, 'AAAA')).answers), [[HOST, 'AAAA', '2001:db8::1']]);
  t.same(seen((await ask(HOST, 'TXT')).answers), [[HOST, 'TXT', 'v=spf1 a -all']]);
  t.same(seen((await ask(`mta-sts.${acme}`, 'A')).answers), [
    [`mta-sts.${acme}`, 'CNAME', HOST],
    [HOST, 'A', '192.0.2.1'],
  ]);
  t.same(seen((await ask(`mta-sts.${acme}`, 'CNAME')).answers), [[`mta-sts.${acme}`, 'CNAME', HOST]]);
  t.same(seen((await ask(acme, 'ANY')).answers), [[acme, 'HINFO', { cpu: 'RFC8482', os: '' }]]);
  t.same(seen((await ask(BASE, 'MX')).answers), [[BASE, 'MX', { preference: 10, exchange: HOST }]]);
  t.same(faults, []);
});

t.test('what it has not: NXDOMAIN, NODATA and names in between', async (t) => {
  const { ask } = openDnsBox();
  const verdict = async (name: string, type: string) => {
    const reply = await ask(name, type);
    return [rcodeOf(reply), reply.answers?.length, seen(reply.authorities)];
  };
  t.same(await verdict(`nothing.${BASE}`, 'MX'), [NXDOMAIN, 0, [SOA]]);
  t.same(await verdict(`x.acme.${BASE}`, 'A'), [NXDOMAIN, 0, [SOA]]);
  t.same(await verdict(`acme.${BASE}`, 'A'), [NOERROR, 0, [SOA]], 'NODATA');
  t.same(await verdict(`acme.${BASE}`, 'DS'), [NOERROR, 0, [SOA]]);
  t.same(await verdict(`_domainkey.acme.${BASE}`, 'TXT'), [NOERROR, 0, [SOA]], 'an empty non-terminal');
  t.same(await verdict(`_domainkey.acme.${BASE}`, 'ANY'), [NOERROR, 0, [SOA]]);
  t.same(await verdict(`_domainkey.${BASE}`, 'TXT'), [NOERROR, 0, [SOA]]);
  t.same(await verdict(`mta-sts.acme.${BASE}`, 'MX'), [NOERROR, 1, [SOA]], 'the target of an alias has none');
  for (const name of ['box.test', 'test', '', 'example.com', `x${BASE}`, `${BASE}.com`]) {
    t.same(await verdict(name, 'A'), [REFUSED, 0, []], name);
  }
});

t.test("a host of the base domain's own name has its one SPF record", async (t) => {
  const { ask } = openDnsBox({ hostname: BASE });
  t.same(seen((await ask(BASE, 'A')).answers), [[BASE, 'A', '192.0.2.1']]);
  t.same(seen((await ask(BASE, 'TXT')).answers), [[BASE, 'TXT', recordsOf(BASE, BASE)[2]?.value]]);
});

t.test('a host outside of the zone: its name is given, its addresses are not', async (t) => {
  const { ask } = openDnsBox({ hostname: 'mx.elsewhere.test' });
  const alias = await ask(`mta-sts.acme.${BASE}`, 'A');
  t.same(seen(alias.answers), [[`mta-sts.acme.${BASE}`, 'CNAME', 'mx.elsewhere.test']]);
  t.same([rcodeOf(alias), alias.authorities?.length], [NOERROR, 0]);
  t.same(seen((await ask(BASE, 'NS')).additionals), []);
  t.equal(rcodeOf(await ask('mx.elsewhere.test', 'A')), REFUSED);
});

t.test('a question costs two look-ups, whatever its name', async (t) => {
  const { ask, asked } = openDnsBox();
  const deep = `${'a.'.repeat(60)}acme.${BASE}`;
  await ask(deep, 'A');
  t.same(asked.sort(), [`acme.${BASE}`, BASE].sort());
});

t.test('a workspace of the name of a policy host', async (t) => {
  const { ask } = openDnsBox({ domains: ['mta-sts'] });
  const mx = await ask(`mta-sts.${BASE}`, 'MX');
  t.same(seen(mx.answers), [[`mta-sts.${BASE}`, 'MX', { preference: 10, exchange: HOST }]]);
  t.equal((await ask(`mta-sts.${BASE}`, 'CNAME')).answers?.length, 0, 'no alias stands beside other records');
});

t.test('challenges come and go', async (t) => {
  const { ask, challenges } = openDnsBox();
  const name = `_acme-challenge.mta-sts.acme.${BASE}`;
  t.equal(rcodeOf(await ask(name, 'TXT')), NXDOMAIN);
  challenges.setChallenge(name, 'one');
  challenges.setChallenge(`${name.toUpperCase()}.`, 'two');
  t.same(seen((await ask(name, 'TXT')).answers), [
    [name, 'TXT', 'one'],
    [name, 'TXT', 'two'],
  ]);
  challenges.removeChallenge(name, 'one');
  challenges.removeChallenge(name, 'two');
  t.equal(rcodeOf(await ask(name, 'TXT')), NXDOMAIN);
  for (const wrong of ['_acme-challenge.example.com', `acme.${BASE}`, `_acme-challenge.a b.${BASE}`, '']) {
    t.throws(() => challenges.setChallenge(wrong, 'x'), RangeError, wrong);
  }
  t.throws(() => challenges.setChallenge(name, 'x'.repeat(256)), RangeError);
  for (let at = 0; at < 200; at += 1) challenges.setChallenge(`_acme-challenge.${BASE}`, `v${at}`);
  t.throws(() => challenges.setChallenge(name, 'one more'), RangeError);
});
