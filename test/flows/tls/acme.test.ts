/** Certificates by ACME, from pebble: ordered by http-01 and tls-alpn-01, renewed, and shown to HTTP and SMTP alike. */

import { X509Certificate } from 'node:crypto';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import t, { type Test } from 'tap';
import { DAY, HOUR, MINUTE } from '../../../src/kernel/clock.ts';
import { runCli } from '../../harness/cli.ts';
import { createTestClock } from '../../harness/domains.ts';
import { BASE_DOMAIN, HOSTNAME, startInstance, type TestInstance } from '../../harness/instance.ts';
import { startDns } from '../../harness/net/dns.ts';
import { freePort } from '../../harness/net/free-port.ts';
import { type PebbleOptions, startPebble } from '../../harness/net/pebble.ts';
import { RawSmtp } from '../../harness/smtp/raw-smtp.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

const POLICY_HOST = `mta-sts.acme.${BASE_DOMAIN}`;

/** What the authority sees of the names. */
const startNames = () => startDns({ [HOSTNAME]: { A: ['127.0.0.1'] }, [POLICY_HOST]: { A: ['127.0.0.1'] } });

const secured = (port: number, options: ConnectionOptions): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, ...options }, () => resolve(socket));
    socket.once('error', reject);
  });

const httpsPort = ({ config }: TestInstance): number => config.http.listen[0]?.port ?? 0;

/** The certificate that HTTPS shows for a name; undefined where it does not verify by the authority's root. */
const shownFor = async (
  instance: TestInstance,
  servername: string,
  ca: string,
): Promise<X509Certificate | undefined> => {
  const socket = await secured(httpsPort(instance), { servername, ca, rejectUnauthorized: false });
  const shown = socket.authorized ? socket.getPeerX509Certificate() : undefined;
  socket.destroy();
  return shown;
};

const shownBySmtp = async ({ smtpPort: port }: TestInstance): Promise<string | undefined> => {
  const client = await RawSmtp.connect({ port });
  await client.reply();
  await client.command('EHLO client.test');
  await client.command('STARTTLS');
  await client.startTls();
  const { fingerprint } = client.session;
  client.socket.destroy();
  return fingerprint;
};

const issuedCount = ({ logged }: TestInstance): number =>
  logged.filter(({ message }) => message === 'certificate issued').length;

const untilIssued = (instance: TestInstance, count: number): Promise<true> =>
  eventually(async () => issuedCount(instance) >= count || undefined, 60_000) as Promise<true>;

const startWith = async (t: Test, way: 'http-01' | 'tls-alpn-01', more: Partial<PebbleOptions> = {}) => {
  const names = await startNames();
  t.teardown(() => names.close());
  const clock = createTestClock();
  const [plainPort, tlsPort] = [await freePort(), await freePort()];
  const pebble = await startPebble({ dnsServer: names.server, httpPort: plainPort, tlsPort, ...more });
  t.teardown(() => pebble[Symbol.asyncDispose]());
  const instance = await startInstance({
    runtime: { clock },
    httpPort: tlsPort,
    tls: `mode = "acme"
acme_directory = "${pebble.directoryUrl}"
acme_eab_key_id = "${more.bindingKeys ? 'kid-1' : ''}"
acme_eab_hmac_key = "${more.bindingKeys?.['kid-1'] ?? ''}"
http_listen = [${way === 'http-01' ? `"127.0.0.1:${plainPort}"` : ''}]`,
    network: `extra_ca_file = "${pebble.caFile}"`,
  });
  t.teardown(() => instance[Symbol.asyncDispose]());
  return { instance, pebble, clock, plainPort, names };
};

t.test('http-01: ordered at the start, renewed under open connections, a policy host of its own', async (t) => {
  const { instance, pebble, clock, plainPort } = await startWith(t, 'http-01');
  const ca = await pebble.root();
  await untilIssued(instance, 1);
  const first = await shownFor(instance, HOSTNAME, ca);
  t.equal(first?.checkHost(HOSTNAME), HOSTNAME);
  t.equal(await shownBySmtp(instance), first?.fingerprint256, 'SMTP shows the same');
  const folder = join(instance.config.data_dir, 'tls');
  t.equal(statSync(folder).mode & 0o777, 0o700);
  for (const file of readdirSync(folder)) t.equal(statSync(join(folder, file)).mode & 0o777, 0o600, file);

  const open = await secured(httpsPort(instance), { servername: HOSTNAME, ca });
  t.teardown(() => open.destroy());
  const answers: string[] = [];
  open.on('data', (data) => answers.push(String(data)));
  const askAgain = async (): Promise<void> => {
    const before = answers.length;
    open.write(`GET /healthz HTTP/1.1\r\nhost: ${HOSTNAME}\r\n\r\n`);
    await eventually(async () => answers.length > before);
  };
  await askAgain();

  t.equal(await shownFor(instance, POLICY_HOST, ca).then((shown) => shown?.checkHost(POLICY_HOST)), undefined);
  instance.dns.zone.set(POLICY_HOST, 'A', ['127.0.0.1']);
  clock.skip(2 * HOUR);
  await instance.daemon.jobs.runAll();
  await untilIssued(instance, 2);
  t.equal((await shownFor(instance, POLICY_HOST, ca))?.checkHost(POLICY_HOST), POLICY_HOST, 'by SNI');
  t.equal((await shownFor(instance, HOSTNAME, ca))?.serialNumber, first?.serialNumber);

  const { validFromDate, validToDate } = first ?? new X509Certificate('');
  const untilDue = (validToDate.getTime() - validFromDate.getTime()) * 0.7;
  clock.skip(untilDue);
  await instance.daemon.jobs.runAll();
  t.ok(issuedCount(instance) >= 4, 'both');
  // The authority's clock stayed behind: by the leading one, what it issues is due again at once.
  clock.skip(-untilDue);
  await instance.daemon.jobs.runAll();
  const renewed = await shownFor(instance, HOSTNAME, ca);
  t.ok(renewed);
  t.not(renewed?.serialNumber, first?.serialNumber);
  t.equal(await shownBySmtp(instance), renewed?.fingerprint256);
  await askAgain();
  t.match(answers.at(-1), /^HTTP\/1\.1 200/, 'the connection from before is not dropped');

  const plain = (path: string) => fetch(`http://127.0.0.1:${plainPort}${path}`, { redirect: 'manual' });
  const { origin } = new URL(instance.baseUrl);
  for (const path of ['/docs?x=1', '//evil.test/', '/%5cevil.test', '/@evil.test']) {
    const answer = await plain(path);
    t.equal(answer.status, 308, path);
    t.equal(new URL(answer.headers.get('location') ?? '').origin, origin, path);
  }
  t.equal((await plain('/.well-known/acme-challenge/unknown')).status, 404);
  t.equal((await fetch(`http://127.0.0.1:${plainPort}/v1/messages`, { method: 'POST' })).status, 404);

  const before = issuedCount(instance);
  await instance.restart();
  await instance.daemon.jobs.runAll();
  t.equal((await shownFor(instance, HOSTNAME, ca))?.serialNumber, renewed?.serialNumber, 'a restart orders nothing');
  t.equal(issuedCount(instance), before);
  t.same(instance.faults, []);
});

t.test('certificates and the account are sealed in the store, too', async (t) => {
  const { instance, pebble } = await startWith(t, 'http-01');
  const ca = await pebble.root();
  await untilIssued(instance, 1);
  await instance.daemon.jobs.runAll();
  const first = await shownFor(instance, HOSTNAME, ca);
  const folder = join(instance.config.data_dir, 'tls');
  const files = readdirSync(folder).sort();
  t.match(files, [/^account-/, `${HOSTNAME}.pem`]);
  const comesBack = async (t: Test) => {
    rmSync(folder, { recursive: true });
    await instance.restart();
    t.equal((await shownFor(instance, HOSTNAME, ca))?.serialNumber, first?.serialNumber);
    await instance.daemon.jobs.runAll();
    t.equal(issuedCount(instance), 1, 'nothing is ordered anew');
    for (const file of files) t.equal(statSync(join(folder, file)).mode & 0o777, 0o600, file);
  };
  await t.test('at the next start', comesBack);
  const rows = await instance.inStore(({ read }) =>
    read.selectFrom('settings').select('value').where('name', '>=', 'tls/').where('name', '<', 'tls0').execute(),
  );
  t.equal(rows.length, 2);
  t.notOk(rows.some(({ value }) => Buffer.from(value).includes('PRIVATE')));

  t.equal((await runCli(instance.configPath, 'vault', 'rotate-key', '--yes')).code, 0);
  await t.test('after a rotation of the key', comesBack);
});

t.test('tls-alpn-01, with a bound account: on the HTTPS port, beside its other connections', async (t) => {
  const bindingKeys = { 'kid-1': 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W' };
  const { instance, pebble } = await startWith(t, 'tls-alpn-01', { bindingKeys });
  const ca = await pebble.root();
  const unverified = await secured(httpsPort(instance), { servername: HOSTNAME, rejectUnauthorized: false });
  t.equal(unverified.authorized, false, 'a certificate of its own until then');
  unverified.destroy();
  await untilIssued(instance, 1);
  t.equal((await shownFor(instance, HOSTNAME, ca))?.checkHost(HOSTNAME), HOSTNAME);
  const offered = await secured(httpsPort(instance), { servername: HOSTNAME, ca, ALPNProtocols: ['http/1.1'] });
  t.equal(offered.authorized, true);
  offered.destroy();
  t.same(instance.faults, []);
});

t.test('an authority that cannot be reached, or refuses: mail is received, and the next attempt waits', async (t) => {
  const names = await startNames();
  t.teardown(() => names.close());
  const clock = createTestClock();
  await using pebble = await startPebble({ dnsServer: names.server, httpPort: await freePort(), tlsPort: 1 });
  await using instance = await startInstance({
    runtime: { clock },
    tls: `mode = "acme"\nacme_directory = "${pebble.directoryUrl}"\nhttp_listen = ["127.0.0.1:${await freePort()}"]`,
    network: `extra_ca_file = "${pebble.caFile}"`,
  });
  const failures = () => instance.warned.filter(({ message }) => message === 'no certificate was issued');
  await eventually(async () => failures().length === 1);
  t.match(failures()[0]?.fields, { names: [HOSTNAME], way: 'http-01', reason: String });
  await instance.daemon.jobs.runAll();
  t.equal(failures().length, 1, 'not at once');
  clock.skip(DAY);
  await instance.daemon.jobs.runAll();
  await eventually(async () => failures().length === 2);
  t.match(failures()[1]?.fields, { way: 'tls-alpn-01' }, 'the next way');
  t.notMatch(failures()[1]?.fields, { reason: /POST-as-GET/ }, 'the account of the first order is found again');
  t.notOk(existsSync(join(instance.config.data_dir, 'tls', `${HOSTNAME}.pem`)));
  const { stdout } = await runCli(instance.configPath, 'doctor', '--json');
  const { checks } = JSON.parse(stdout) as { checks: { name: string; detail: string }[] };
  t.match(
    checks.find(({ name }) => name === 'tls'),
    { status: 'fail', detail: /The last order failed: Failed to connect/, fix: /postroom tls renew/ },
  );
  t.match(
    await shownBySmtp(instance),
    /^[0-9A-F:]{95}$/,
    'STARTTLS works without a certificate that anybody vouches for',
  );
  t.same(instance.faults, []);
});

t.test('tls renew: an order that failed is made again at once, by each way; --force one that is not due', async (t) => {
  const { instance, pebble, names } = await startWith(t, 'tls-alpn-01');
  names.zone.set(HOSTNAME, 'A', ['127.0.0.9']);
  const failures = () => instance.warned.filter(({ message }) => message === 'no certificate was issued').length;
  await eventually(async () => failures() === 1);
  const renew = async (...flags: string[]) => {
    const done = { isDone: false };
    const ran = runCli(instance.configPath, 'tls', 'renew', '--json', ...flags).finally(() => {
      done.isDone = true;
    });
    await eventually(async () => {
      await instance.daemon.jobs.runAll();
      return done.isDone;
    }, 60_000);
    return ran;
  };
  const refused = await renew();
  t.match(
    { ...refused, stdout: JSON.parse(refused.stdout) },
    {
      code: 1,
      stdout: { certificates: [{ names: [HOSTNAME], state: 'failed', reason: /Failed to connect/, valid_to: null }] },
    },
  );
  names.zone.set(HOSTNAME, 'A', ['127.0.0.1']);
  t.match(JSON.parse((await renew()).stdout), { certificates: [{ state: 'issued', reason: null, valid_to: String }] });
  const first = await shownFor(instance, HOSTNAME, await pebble.root());
  t.match(JSON.parse((await renew()).stdout), { certificates: [{ state: 'current' }] });
  t.equal((await shownFor(instance, HOSTNAME, await pebble.root()))?.serialNumber, first?.serialNumber);
  t.match(JSON.parse((await renew('--force')).stdout), { certificates: [{ state: 'issued' }] });
  t.not((await shownFor(instance, HOSTNAME, await pebble.root()))?.serialNumber, first?.serialNumber);
  await instance.daemon.stop();
  t.match(await runCli(instance.configPath, 'tls', 'renew'), { code: 69, stderr: /daemon does not run/ });
  await instance.restart();
  await using off = await startInstance();
  t.match(await runCli(off.configPath, 'tls', 'renew'), { code: 1, stderr: /tls\.mode is "off"/ });
});

t.test('an authority that cannot be reached says so, and is tried again soon', async (t) => {
  const clock = createTestClock();
  await using instance = await startInstance({
    runtime: { clock },
    tls: `mode = "acme"\nacme_directory = "https://localhost:1/dir"\nhttp_listen = []`,
  });
  const failures = () => instance.warned.filter(({ message }) => message === 'no certificate was issued');
  await eventually(async () => failures().length === 1);
  t.match(failures()[0]?.fields, { reason: /^https:\/\/localhost:1\/dir cannot be reached: .*ECONNREFUSED/ });
  clock.skip(5 * MINUTE);
  await eventually(async () => {
    // The first run may not have ended with its line: a job that is asked meanwhile waits for that one alone.
    await instance.daemon.jobs.runAll();
    return failures().length === 2;
  });
});
