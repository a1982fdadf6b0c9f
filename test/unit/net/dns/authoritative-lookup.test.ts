import t from 'tap';
import { createAuthoritativeLookup } from '../../../../src/net/dns/authoritative-lookup.ts';
import { createBudgetedQueries } from '../../../../src/net/dns/query-budget.ts';
import { startDns, type TestDns, type Zone } from '../../../harness/net/dns.ts';

/** The resolver and the name servers of the zone, which have one port and an address each. */
const start = async () => {
  const resolver = await startDns({
    'x.example': { NS: ['ns1.x.example', 'ns2.x.example'] },
    'ns1.x.example': { A: ['127.0.0.1'] },
    'ns2.x.example': { A: ['127.0.0.1'] },
    'other.example': { NS: ['ns1.x.example'] },
  });
  const server = await startDns({
    'x.example': { MX: [{ exchange: 'mx.box.test', priority: 10 }], TXT: ['v=spf1 -all'] },
    'long.x.example': { TXT: ['k'.repeat(900)] },
    'alias.x.example': { CNAME: ['target.other.example'] },
    'target.other.example': { TXT: ['through'] },
    'ring.x.example': { CNAME: ['gnir.x.example'] },
    'gnir.x.example': { CNAME: ['ring.x.example'] },
  });
  return {
    resolver,
    server,
    [Symbol.asyncDispose]: async () => {
      await resolver.close();
      await server.close();
    },
  };
};

const lookUpAt = (
  { resolver, server }: { resolver: TestDns; server: TestDns },
  { isAllowed = () => true, maxQueries = 100 }: { isAllowed?: (ip: string) => boolean; maxQueries?: number } = {},
) =>
  createAuthoritativeLookup({
    ask: createBudgetedQueries({ totalMs: 5_000, maxQueries, parallel: 8 }),
    resolvers: [resolver.server],
    isAllowed,
    port: Number(server.server.split(':')[1]),
  });

t.test('records come from the servers of the zone, without recursion', async (t) => {
  await using setup = await start();
  const { lookup, faults } = lookUpAt(setup);
  t.same(await lookup('X.example', 'MX'), {
    kind: 'answer',
    values: [{ exchange: 'mx.box.test', priority: 10 }],
    aliases: [],
  });
  t.match(await lookup('long.x.example', 'TXT'), { values: ['k'.repeat(900)] }, 'several strings are one value');
  t.same(await lookup('_dmarc.x.example', 'TXT'), { kind: 'answer', values: [], aliases: [] });
  t.same(faults(), []);
  const asked = setup.resolver.queries.filter(({ type }) => type === 'NS').map(({ name }) => name);
  t.same(asked, ['x.example'], 'the zone is found once');
});

t.test('an alias is followed out of the zone, and a ring of aliases ends', async (t) => {
  await using setup = await start();
  const { lookup } = lookUpAt(setup);
  t.same(await lookup('alias.x.example', 'TXT'), {
    kind: 'answer',
    values: ['through'],
    aliases: ['target.other.example'],
  });
  t.match(await lookup('ring.x.example', 'TXT'), { kind: 'answer', values: [] });
});

t.test('a delegation below the zone is followed', async (t) => {
  await using setup = await start();
  setup.server.zone.delegate('sub.x.example', ['ns1.sub.example']);
  setup.resolver.zone.set('ns1.sub.example', 'A', ['127.0.0.2']);
  const { lookup, faults } = lookUpAt(setup);
  // No server listens at that address.
  t.match(await lookup('a.sub.x.example', 'TXT'), { kind: 'failed', isBogus: false });
  t.match(faults(), [/ns1\.sub\.example \(127\.0\.0\.2\) does not answer/]);
});

t.test('servers that refuse are lame, and named', async (t) => {
  await using setup = await start();
  setup.server.zone.fail('x.example', 'REFUSED');
  const { lookup, faults } = lookUpAt(setup);
  t.match(await lookup('x.example', 'MX'), { kind: 'failed', reason: 'REFUSED', isResponse: true });
  t.match(faults(), [/ns1\.x\.example \(127\.0\.0\.1\) does not serve x\.example \(REFUSED\): it is lame/, /ns2/]);
});

t.test('a private address of a name server is not asked', async (t) => {
  await using setup = await start();
  const { lookup, faults } = lookUpAt(setup, { isAllowed: () => false });
  t.match(await lookup('x.example', 'MX'), { kind: 'failed', reason: /no server of x\.example can be asked/ });
  t.equal(setup.server.queries.length, 0);
  t.match(faults()[0], /private address/);
});

const withFault = async (fault: Parameters<Zone['fail']>[1]) => {
  const setup = await start();
  setup.resolver.zone.fail('x.example', fault);
  return setup;
};

t.test('a delegation that does not validate, or cannot be found', async (t) => {
  await using bogus = await withFault('bogus');
  t.match(await lookUpAt(bogus).lookup('x.example', 'MX'), { kind: 'failed', isBogus: true });
  await using failing = await withFault('SERVFAIL');
  t.match(await lookUpAt(failing).lookup('x.example', 'MX'), { kind: 'failed', isBogus: false, reason: 'SERVFAIL' });
});

t.test('the number of queries and their time are bounded', async (t) => {
  await using setup = await start();
  const { lookup } = lookUpAt(setup, { maxQueries: 12 });
  const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => lookup(`n${at}.x.example`, 'TXT')));
  t.ok(setup.resolver.queries.length + setup.server.queries.length <= 12);
  t.match(answers.at(-1), { kind: 'failed', reason: /too many queries/ });
  let now = 0;
  const ask = createBudgetedQueries({ totalMs: 1_000, maxQueries: 9, parallel: 1 }, { now: () => now });
  t.match(await ask(setup.server.server, { name: 'x.example', type: 'MX' }), { kind: 'answer' });
  now = 1_000;
  t.match(await ask(setup.server.server, { name: 'x.example', type: 'MX' }), { kind: 'failed', reason: /time/ });
});
