import { randomBytes } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import { startOfDay } from '../../../src/kernel/utc-period.ts';
import { authenticate, type DnsResolve } from '../../../src/mail/auth/authenticate-message.ts';
import { readMessage } from '../../../src/mail/header/message-header.ts';
import { selfSigned } from '../../harness/net/certificate.ts';
import { authority, type StsWorld, startStsWorld } from '../../harness/net/sts-world.ts';
import { noonClock } from '../../harness/noon.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ASKS_FOR = '_smtp._tls.remote.test';

const send = async ({ instance }: StsWorld, to: string): Promise<void> => {
  const ann = instance.client(instance.agents.ann);
  const { messageId: id = '' } = await ann.messages.send({ to: [to], subject: 'Hi', body: 'Hi' });
  await eventually(async () => (await ann.messages.get({ id })).deliveries[0]?.status !== 'queued');
};

const headerOf = (raw: Buffer): string => {
  const text = raw.toString('latin1');
  return text.slice(0, text.indexOf('\r\n\r\n')).replace(/\r\n[ \t]/g, ' ');
};

/** The JSON of the part that the mail is about. */
const reportIn = (raw: Buffer) => {
  const part = /^Content-Type: application\/tlsrpt\+gzip\r\n[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/m.exec(
    raw.toString('latin1'),
  );
  return JSON.parse(gunzipSync(Buffer.from(part?.[1] ?? '', 'base64')).toString());
};

t.test("the day's report comes by mail, though TLS with the domain is what fails", async (t) => {
  const clock = noonClock();
  const day = startOfDay(clock.now());
  await using world = await startStsWorld({ runtime: { clock }, receiver: { tls: selfSigned('mx.remote.test') } });
  const { instance } = world;
  instance.dns.zone.set(ASKS_FOR, 'TXT', ['v=TLSRPTv1; rua=mailto:tls@remote.test']);
  world.publish('1', ['mode: enforce', 'mx: mx.remote.test']);
  await send(world, 'x@remote.test');
  await instance.daemon.jobs.runAll();
  t.same(instance.receiver.messages, [], 'not before the day is over');

  clock.ahead += 17 * HOUR;
  await instance.daemon.jobs.runAll();
  const [mail] = await instance.receiver.waitFor(1);
  const raw = mail?.raw ?? Buffer.alloc(0);
  t.same(mail?.rcptTo, ['tls@remote.test']);
  const header = headerOf(raw);
  t.match(header, /^TLS-Report-Domain: remote\.test\r$/m);
  t.match(header, /^TLS-Report-Submitter: agents\.box\.test\r$/m);
  t.match(header, /^From: Postroom TLS reports <tls-reports@agents\.box\.test>\r$/m);
  t.match(header, /^Content-Type: multipart\/report; report-type="tlsrpt"; boundary=/m);
  t.match(header, /^Subject: Report Domain: remote\.test Submitter: agents\.box\.test Report-ID: <\S+>\r$/m);
  const file = `agents.box.test!remote.test!${day / 1000}!${day / 1000 + 86_399}.json.gz`;
  t.match(raw.toString('latin1'), `Content-Disposition: attachment; filename="${file}"`);
  const date = new Date(day).toISOString().slice(0, 10);
  const report = reportIn(raw);
  t.match(report, {
    'organization-name': 'agents.box.test',
    'date-range': { 'start-datetime': `${date}T00:00:00Z`, 'end-datetime': `${date}T23:59:59Z` },
    'contact-info': 'postmaster@agents.box.test',
    'report-id': `${date}.remote.test@agents.box.test`,
    policies: [
      {
        policy: {
          'policy-type': 'sts',
          'policy-string': ['version: STSv1', 'mode: enforce', 'mx: mx.remote.test', 'max_age: 86400'],
          'policy-domain': 'remote.test',
          'mx-host': ['mx.remote.test'],
        },
        summary: { 'total-successful-session-count': 0, 'total-failure-session-count': Number },
        'failure-details': [
          {
            'result-type': 'certificate-not-trusted',
            'sending-mta-ip': '127.0.0.1',
            'receiving-mx-hostname': 'mx.remote.test',
            'receiving-ip': '127.0.0.1',
            'failed-session-count': Number,
          },
        ],
      },
    ],
  });
  t.equal(report.policies.length, 1);
  const resolver = new Resolver();
  resolver.setServers([instance.dns.server]);
  const session = { ip: '127.0.0.1', helo: 'mx.box.test', mailFrom: '', authservId: 'mx.remote.test' };
  const verdict = await authenticate(
    readMessage(raw),
    session,
    resolver.resolve.bind(resolver) as DnsResolve,
    clock.now(),
  );
  t.match(verdict, { dkim: 'pass', dmarc: 'pass', fromDomain: 'agents.box.test' });

  await instance.restart();
  clock.ahead += HOUR;
  await instance.daemon.jobs.runAll();
  t.equal(instance.receiver.messages.length, 1, 'once, also across a restart');
  t.same(instance.faults, []);
});

t.test('of a long policy, the report has the beginning', async (t) => {
  await using world = await startStsWorld({ receiver: { tls: selfSigned('mx.remote.test') } });
  const { instance } = world;
  const hosts = Array.from(
    { length: 60 },
    () => `${randomBytes(30).toString('hex')}.${randomBytes(30).toString('hex')}.remote.test`,
  );
  world.publish('1', ['mode: testing', 'mx: mx.remote.test', ...hosts.map((host) => `mx: ${host}`)]);
  await send(world, 'x@remote.test');
  await instance.daemon.jobs.runAll();
  t.same(instance.faults, []);
  const [row] = await instance.inStore(({ read }) => read.selectFrom('tls_results').selectAll().execute());
  const { strings, mx } = JSON.parse(row?.policy ?? '{}');
  t.same(strings.slice(0, 4), ['version: STSv1', 'mode: testing', 'mx: mx.remote.test', `mx: ${hosts[0]}`]);
  t.same(mx.slice(0, 2), ['mx.remote.test', hosts[0]]);
});

t.test('https, every kind of policy, and what is tried again', async (t) => {
  const clock = noonClock();
  await using world = await startStsWorld({
    runtime: { clock },
    receiver: { tls: authority.issue('mx.remote.test') },
  });
  const { instance, web } = world;
  instance.dns.zone.set(ASKS_FOR, 'TXT', [`v=TLSRPTv1; rua=https://mta-sts.remote.test:${web.port}/report`]);
  world.publish('1', ['mode: enforce', 'mx: mx.remote.test']);
  await send(world, 'x@remote.test');
  world.publish('2', ['mode: testing', 'mx: mx.elsewhere.test']);
  clock.ahead += 2 * MINUTE;
  await send(world, 'x@remote.test');
  world.publish('3', ['mode: none']);
  clock.ahead += 2 * MINUTE;
  await send(world, 'x@remote.test');
  instance.dns.zone.set('plain.test', 'MX', [{ exchange: 'mx.plain.test', priority: 10 }]);
  instance.dns.zone.set('mx.plain.test', 'A', ['127.0.0.1']);
  await send(world, 'x@plain.test');

  const answers = [503, 201];
  web.answer(({ path }, response) => {
    response.statusCode = path === '/report' ? (answers.shift() ?? 500) : 404;
    response.end();
  });
  web.requests.length = 0;
  clock.ahead += 17 * HOUR;
  await instance.daemon.jobs.runAll();
  await instance.daemon.jobs.runAll();
  t.equal(web.requests.length, 1, 'what failed is not repeated at once');
  clock.ahead += HOUR + MINUTE;
  await instance.daemon.jobs.runAll();
  clock.ahead += HOUR + MINUTE;
  await instance.daemon.jobs.runAll();
  t.equal(web.requests.length, 2);
  const [first, second] = web.requests;
  t.equal(second?.headers['content-type'], 'application/tlsrpt+gzip');
  t.same(first?.body, second?.body);
  const { policies } = JSON.parse(gunzipSync(second?.body ?? Buffer.alloc(0)).toString());
  const sorted = policies.toSorted((a: typeof policies, b: typeof policies) =>
    JSON.stringify(a).localeCompare(JSON.stringify(b)),
  );
  t.match(sorted, [
    {
      policy: { 'policy-type': 'no-policy-found', 'policy-domain': 'remote.test' },
      summary: { 'total-successful-session-count': 1, 'total-failure-session-count': 0 },
    },
    {
      policy: { 'policy-type': 'sts', 'policy-string': [/STS/, 'mode: enforce', String, String] },
      summary: { 'total-successful-session-count': 1, 'total-failure-session-count': 0 },
    },
    {
      policy: { 'policy-type': 'sts', 'policy-string': [/STS/, 'mode: testing', String, String] },
      summary: { 'total-successful-session-count': 0, 'total-failure-session-count': 1 },
      'failure-details': [{ 'result-type': 'validation-failure', 'receiving-mx-hostname': 'mx.remote.test' }],
    },
  ]);
  const counted = () => instance.inStore((store) => store.read.selectFrom('tls_results').select('domain').execute());
  t.ok(
    (await counted()).some(({ domain }) => domain === 'plain.test'),
    'no report is requested, and the counts are kept',
  );
  clock.ahead += 11 * DAY;
  await instance.daemon.jobs.runAll();
  t.same(await counted(), [], 'for ten days');
  t.same(instance.faults, []);
});

t.test('an address of another organisation gets one report a domain and ten a day', async (t) => {
  const clock = noonClock();
  await using world = await startStsWorld({ runtime: { clock }, receiver: { tls: selfSigned('mx.remote.test') } });
  const { zone } = world.instance.dns;
  const domains = Array.from({ length: 12 }, (_, n) => `d${n}.test`);
  zone.set('victim.test', 'MX', [{ exchange: 'mx.remote.test', priority: 10 }]);
  for (const domain of domains) {
    // A session that is kept for the next domain's mail would be counted once.
    zone.set(`mx.${domain}`, 'A', ['127.0.0.1']);
    zone.set(domain, 'MX', [{ exchange: `mx.${domain}`, priority: 10 }]);
    const rua = ['a@victim.test', 'b@victim.test', 'c@victim.test', `own@${domain}`];
    zone.set(`_smtp._tls.${domain}`, 'TXT', [`v=TLSRPTv1; rua=${rua.map((address) => `mailto:${address}`).join(',')}`]);
    await send(world, `x@${domain}`);
  }
  const before = world.instance.receiver.messages.length;
  clock.ahead += 17 * HOUR;
  await world.instance.daemon.jobs.runAll();
  const reports = (await world.instance.receiver.waitFor(before + 22)).slice(before).flatMap(({ rcptTo }) => rcptTo);
  t.same(reports.filter((address) => address === 'a@victim.test').length, 10);
  t.same(
    reports.filter((address) => /^[bc]@victim/.test(address)),
    [],
  );
  t.same(reports.filter((address) => address.startsWith('own@')).length, 12, "a domain's own address always");
});
