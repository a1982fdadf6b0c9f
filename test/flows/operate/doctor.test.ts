/** `postroom doctor`: each check says what it finds, and what to do. */

import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { putOrders } from '../../../src/app/tls/certificate-orders.ts';
import { DAY } from '../../../src/kernel/clock.ts';
import { noteBackup } from '../../../src/kernel/files/written-backups.ts';
import { contracts } from '../../../src/resources/contracts.ts';
import { cliJson, runCli } from '../../harness/cli.ts';
import { BASE_DOMAIN, HOSTNAME, startInstance, type TestInstance } from '../../harness/instance.ts';
import { selfSigned } from '../../harness/net/certificate.ts';
import { iprevName } from '../../harness/net/dns.ts';
import { asOperator } from '../../harness/operator.ts';
import { dataFileOf, ofSqlite } from '../../harness/postgres/test-location.ts';
import { signUp } from '../../harness/signups.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

interface Found {
  name: string;
  status: string;
  detail: string;
  fix: string | null;
}

const examine = async (instance: TestInstance): Promise<{ ok: boolean; code: number; checks: Found[] }> => {
  const ran = await runCli(instance.configPath, 'doctor', '--json');
  return { ...(JSON.parse(ran.stdout) as { ok: boolean; checks: Found[] }), code: ran.code };
};

const statusOf = (checks: readonly Found[], name: string): string[] =>
  checks.filter((check) => check.name === name).map(({ status }) => status);

/** What the world has of a host that is well. */
const publishHost = ({ dns, receiver }: TestInstance): void => {
  dns.zone.set(iprevName('127.0.0.1'), 'PTR', [HOSTNAME]);
  dns.zone.set(HOSTNAME, 'TXT', ['v=spf1 a -all']);
  dns.zone.set('gmail.com', 'MX', [{ exchange: 'mx.remote.test', priority: 1 }]);
  t.ok(receiver.port > 0);
};

t.test('an installation that is well', async (t) => {
  await using instance = await startInstance();
  publishHost(instance);
  const { ok, code, checks } = await examine(instance);
  t.same(
    checks.filter(({ status }) => status === 'fail'),
    [],
  );
  t.same([ok, code], [true, 0]);
  for (const name of [
    'vault_key',
    'schema',
    'data_dir',
    'disk',
    'port_smtp',
    'port_http',
    'port_25_outward',
    'queue',
  ]) {
    t.same(statusOf(checks, name), ['ok'], name);
  }
  for (const name of ['host_addresses', 'published_address', 'ptr', 'helo_spf'])
    t.same(statusOf(checks, name), ['ok'], name);
  t.same(statusOf(checks, 'dns'), ['ok', 'ok'], 'the base domain and the workspace’s');
  for (const { status, fix } of checks) t.equal(fix === null, status === 'ok' || status === 'skipped');
  const text = await runCli(instance.configPath, 'doctor');
  t.equal(text.code, 0);
  t.match(text.stdout, /0 failed, \d+ warned, \d+ checks\.\n$/);
  await instance.daemon.jobs.runAll();
  t.match(
    instance.logged.find(({ message }) => message === 'doctor'),
    { fields: { ok: true } },
  );
});

ofSqlite(t, 'a server has backups of its own')('a night that brings no backup is told after two days', async (t) => {
  await using instance = await startInstance();
  const { data_dir: data } = instance.config;
  const note = (name: string, ageMs: number): void => {
    const file = join(data, name);
    writeFileSync(file, '');
    noteBackup(data, { file, octets: 0, at: Date.now() - ageMs });
  };
  const found = async () => statusOf((await examine(instance)).checks, 'backups');
  note('by-hand.zst', 9 * DAY);
  t.same(await found(), [], 'no timer is known');
  note('nightly-20261101T034100Z.zst', 3 * DAY);
  note('by-hand-too.zst', 0);
  t.same(await found(), ['warn']);
  note('nightly-20261103T034100Z.zst', DAY);
  t.same(await found(), ['ok']);
  rmSync(join(data, 'nightly-20261103T034100Z.zst'));
  t.same(await found(), ['warn'], 'one that did not hold is moved away');
});

t.test('what is wrong is named, with what to do', async (t) => {
  const folder = t.testdir();
  const { cert, key } = selfSigned('other.test');
  writeFileSync(join(folder, 'cert.pem'), cert);
  writeFileSync(join(folder, 'key.pem'), key);
  await using instance = await startInstance({
    tls: `mode = "files"\ncert_file = "${folder}/cert.pem"\nkey_file = "${folder}/key.pem"`,
    toml: '[scan]\ndnsbl = ["list.test"]\n',
  });
  const { zone } = instance.dns;
  zone.set('acme.agents.box.test', 'MX', []);
  zone.set(HOSTNAME, 'A', ['198.51.100.9']);
  zone.set(iprevName('198.51.100.9'), 'PTR', ['host.provider.test']);
  zone.set('9.100.51.198.list.test', 'A', ['127.0.0.2']);
  chmodSync(instance.config.data_dir, 0o755);
  const { ok, code, checks } = await examine(instance);
  t.same([ok, code], [false, 1]);
  const found = (name: string) => checks.filter((check) => check.name === name);
  t.match(found('data_dir'), [{ status: 'warn', fix: /^chmod 700 / }]);
  t.match(found('host_addresses'), [{ status: 'warn', detail: /198\.51\.100\.9/ }]);
  t.match(found('ptr'), [{ status: 'fail', detail: /host\.provider\.test/, fix: /PTR record to mx\.box\.test/ }]);
  t.match(found('helo_spf'), [{ status: 'warn', fix: 'Publish TXT mx.box.test "v=spf1 a -all"' }]);
  t.match(found('port_25_outward'), [{ status: 'fail', fix: /hosting providers block port 25/ }]);
  t.match(found('tls'), [{ status: 'fail', detail: /is not for mx\.box\.test/ }]);
  t.ok(found('dns').some(({ status, fix }) => status === 'fail' && fix === 'postroom dns check acme.agents.box.test'));
  zone.set(HOSTNAME, 'A', []);
  writeFileSync(join(folder, 'cert.pem'), selfSigned(HOSTNAME).cert);
  const later = (await examine(instance)).checks.filter(({ name }) => ['host_addresses', 'tls'].includes(name));
  t.match(later, [{ status: 'fail' }, { status: 'fail', detail: /key\.pem cannot be used: .*key values mismatch/ }]);
  const { cert: own, key: ownKey } = selfSigned(HOSTNAME);
  writeFileSync(join(folder, 'cert.pem'), own);
  writeFileSync(join(folder, 'key.pem'), ownKey);
  const failed = { state: 'failed', validTo: null, reason: 'port 80 cannot be reached', nextAttemptAt: null } as const;
  await instance.inStore((store) => store.write((tx) => putOrders(tx, [{ names: [HOSTNAME], ...failed }])));
  const [named] = (await examine(instance)).checks.filter(({ name }) => name === 'tls');
  t.notMatch(named, { detail: /port 80/ }, 'an order of before the files were named is over');

  await instance.daemon.stop();
  const down = await examine(instance);
  t.same(statusOf(down.checks, 'port_smtp'), ['skipped'], 'the daemon is down');
  await instance.restart();
});

ofSqlite(t, 'the file is damaged')(
  'one fault hides no other: what is wrong with config, key or data ends no examination',
  async (t) => {
    await using instance = await startInstance();
    publishHost(instance);
    const { configPath, config } = instance;
    const whole = readFileSync(configPath, 'utf8');
    const found = async (name: string) => (await examine(instance)).checks.filter((check) => check.name === name);

    writeFileSync(configPath, `${whole}\n[outbund]\nx = 1\n[signup]\nmax_unclaimed = "many"\n`);
    const wrong = await examine(instance);
    t.equal(wrong.code, 1);
    t.match(
      wrong.checks.filter(({ name }) => name === 'config'),
      [
        { status: 'fail', detail: /postroom\.toml:\d+: outbund: no such key/ },
        { status: 'fail', detail: /signup\.max_unclaimed: should be a whole number/ },
      ],
    );
    for (const name of ['vault_key', 'port_smtp', 'ptr', 'queue']) t.same(statusOf(wrong.checks, name), ['ok'], name);
    writeFileSync(configPath, 'hostname = ');
    t.match((await examine(instance)).checks, [{ name: 'config', status: 'fail' }], 'no TOML');
    writeFileSync(configPath, `${whole}\n[plans]\nfile = "none.toml"\n`);
    t.match(await found('config'), [{ status: 'fail', detail: /none\.toml/ }]);
    writeFileSync(configPath, whole);

    chmodSync(config.vault.key_file, 0o644);
    const open = await examine(instance);
    t.match(
      open.checks.filter(({ name }) => name === 'vault_key'),
      [{ status: 'fail', detail: /mode/ }],
    );
    for (const name of ['schema', 'port_smtp', 'queue']) t.same(statusOf(open.checks, name), ['ok'], name);
    chmodSync(config.vault.key_file, 0o600);

    await instance.daemon.stop();
    renameSync(dataFileOf(config), `${dataFileOf(config)}.away`);
    writeFileSync(
      dataFileOf(config),
      'no database, which this file says in more than a hundred bytes of text. '.repeat(9),
    );
    const damaged = await examine(instance);
    t.same(statusOf(damaged.checks, 'data'), ['fail']);
    for (const name of ['schema', 'vault_key', 'dns', 'queue'])
      t.same(statusOf(damaged.checks, name), ['skipped'], name);
    for (const name of ['disk', 'ptr']) t.same(statusOf(damaged.checks, name), ['ok'], name);
    rmSync(dataFileOf(config));
    renameSync(`${dataFileOf(config)}.away`, dataFileOf(config));
    await instance.restart();
  },
);

t.test('the subdomain of a signup is no failure; DNS that answers nothing is told once', async (t) => {
  await using instance = await startInstance();
  publishHost(instance);
  await signUp(instance, { handle: 'pilot', email: 'o@remote.test', workspace_name: 'Guests' });
  const { ok, checks } = await examine(instance);
  t.equal(ok, true);
  t.match(
    checks.find(({ detail }) => detail.startsWith('guests.')),
    { status: 'warn', name: 'dns' },
  );
  const config = readFileSync(instance.configPath, 'utf8');
  writeFileSync(instance.configPath, config.replace(/^resolvers = .*$/m, 'resolvers = ["127.0.0.1:1"]'));
  const { checks: later } = await examine(instance);
  const silent = later.filter(({ name }) => name.startsWith('dns') && name !== 'dnsbl');
  const outward = later.filter(({ name }) => name === 'port_25_outward');
  t.match(outward, [{ status: 'fail', fix: 'Look at [dns] resolvers.' }], 'and nothing of port 25');
  t.match(silent, [{ name: 'dns_servers', status: 'fail', detail: /about 3 domains, \S+ for one: / }]);
  t.equal(silent[0]?.detail.match(/could not be looked up/g)?.length, 1);
  const { stdout } = await runCli(instance.configPath, 'dns', 'check', 'acme.agents.box.test');
  t.equal(stdout.match(/could not be looked up/g)?.length, 1, stdout);
  t.match(stdout, /could not be checked: whether they are published is not known\.\n$/);
  t.notMatch(stdout, 'missing');
});

t.test('the operator is mailed what a night finds and no visit before has found', async (t) => {
  await using instance = await startInstance({ toml: '[operator]\naddress = "op@remote.test"\n' });
  publishHost(instance);
  const nights = async () => {
    await instance.daemon.jobs.runAll();
    await instance.daemon.outbound.idle();
    const mails = instance.receiver.messages.filter(({ rcptTo }) => rcptTo.includes('op@remote.test'));
    return mails.map(({ raw }) => raw.toString().replaceAll('=\r\n', ''));
  };
  const first = await nights();
  instance.dns.zone.set(HOSTNAME, 'TXT', ['v=spf1 -all']);
  const second = await eventually(async () => {
    const mails = await nights();
    return mails.length > first.length && mails;
  });
  t.equal(second.length, first.length + 1);
  t.match(second.at(-1), /^Subject: mx\.box\.test: helo_spf\r$/m);
  t.match(second.at(-1), /postroom doctor/);
  t.equal((await nights()).length, second.length, 'once');

  for (const name of ['one', 'two']) {
    const added = { name, owner_email: 'o@remote.test', plan: 'pro', verified: true } as const;
    await asOperator(instance, (call) => call(contracts.workspaces.add, added));
    const mail = await eventually(async () => (await nights()).find((raw) => raw.includes(`dns check ${name}.`)));
    t.match(mail, /^Subject: mx\.box\.test: dns\r$/m, 'each domain that fails');
  }
});

t.test('an instance of this machine alone asks nobody', async (t) => {
  await using instance = await startInstance({ outbound: 'local_only = true' });
  const before = instance.dns.queries.length;
  const { ok, checks } = (await cliJson(instance.configPath, 'doctor')) as unknown as { ok: boolean; checks: Found[] };
  t.equal(ok, true);
  for (const name of ['port_25_outward', 'host_addresses', 'dns', 'dnsbl']) {
    t.same(statusOf(checks, name), ['skipped'], name);
  }
  // The daemon asks for the name of who connects to its SMTP port, which the doctor does; and its jobs ask for other names.
  const own = '1.0.0.127.in-addr.arpa';
  const asked = instance.dns.queries.slice(before).map(({ name }) => name);
  t.same(
    asked.filter((name) => name !== own && /^(gmail|outlook|yahoo)\.com$|\.arpa$|spamhaus/.test(name)),
    [],
  );
});

t.test("dns show has the host's own records", async (t) => {
  await using instance = await startInstance({ outbound: 'source_addresses = ["198.51.100.9", "2001:db8::9"]' });
  t.same(await cliJson(instance.configPath, 'dns', 'show', HOSTNAME), [
    { type: 'A', name: HOSTNAME, value: '198.51.100.9', set_by: 'zone' },
    { type: 'AAAA', name: HOSTNAME, value: '2001:db8::9', set_by: 'zone' },
    { type: 'TXT', name: HOSTNAME, value: 'v=spf1 a -all', set_by: 'zone' },
    { type: 'PTR', name: '9.100.51.198.in-addr.arpa', value: HOSTNAME, set_by: 'provider' },
    {
      type: 'PTR',
      name: '9.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa',
      value: HOSTNAME,
      set_by: 'provider',
    },
  ]);
  const zone = await runCli(instance.configPath, 'dns', 'show', HOSTNAME, '--format', 'zone');
  t.match(zone.stdout, 'mx.box.test. 3600 IN A 198.51.100.9\n');
  t.match(zone.stdout, '; set by the hosting provider: 9.100.51.198.in-addr.arpa. 3600 IN PTR mx.box.test.\n');

  // The same name for host and base domain.
  const text = readFileSync(instance.configPath, 'utf8');
  writeFileSync(instance.configPath, text.replace(`hostname = "${HOSTNAME}"`, `hostname = "${BASE_DOMAIN}"`));
  const both = await runCli(instance.configPath, 'dns', 'show', BASE_DOMAIN);
  for (const line of [/^A +agents\.box\.test +198\.51\.100\.9 /m, /^PTR +9\.100\.51\.198/m, /^MX +agents\.box\.test/m])
    t.match(both.stdout, line);
  t.match(both.stdout, /^TXT +pr1\._domainkey\.agents\.box\.test/m);
  t.equal(both.stdout.match(/v=spf1/g)?.length, 1);
  const file = (await runCli(instance.configPath, 'dns', 'show', BASE_DOMAIN, '--format', 'zone')).stdout;
  t.match(file, /^agents\.box\.test\. 3600 IN A 198\.51\.100\.9$/m);
  t.match(file, /^agents\.box\.test\. 3600 IN MX 10 agents\.box\.test\.$/m);
  t.match((await runCli(instance.configPath, 'dns', 'check', BASE_DOMAIN)).stdout, /^mismatch +MX +agents\.box\.test/m);
});
