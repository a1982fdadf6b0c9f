import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { DAY } from '../../../src/kernel/clock.ts';
import { cliJson, runCli } from '../../harness/cli.ts';
import { movableClock } from '../../harness/http/webhooks.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { selfSigned } from '../../harness/net/certificate.ts';
import { digShort } from '../../harness/net/dig.ts';
import { type ReceiverOptions, startReceiver } from '../../harness/smtp/mail-receiver.ts';
import { startScriptedHost } from '../../harness/smtp/scripted-host.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

const SMARTHOST = 'smart.test';
const login = { user: 'box', password: 'it is a secret' };
const credentials = `${login.user}:${encodeURIComponent(login.password)}`;

/** The config line that has the smarthost's own authority trusted; the harness's config ends with `[network]`. */
const trusted = (t: Test): string => {
  const file = join(t.testdir({}), 'ca.pem');
  writeFileSync(file, selfSigned(SMARTHOST).cert);
  return `extra_ca_file = "${file}"\n`;
};

const startSmarthost = (options: ReceiverOptions, certificate = selfSigned(SMARTHOST)) =>
  startReceiver({ login, ...options, ...((options.tls || options.implicit) && { tls: certificate }) });

const sendFrom = async (instance: TestInstance, agent = instance.agents.ann) => {
  const client = instance.client(agent);
  const { messageId } = await client.messages.send({ to: ['carol@remote.test'], subject: 'Hi', body: 'Hi' });
  return eventually(async () => {
    const { deliveries } = await client.messages.get({ id: messageId ?? '' });
    return deliveries[0]?.status !== 'queued' && deliveries[0];
  });
};

for (const [kind, scheme, options] of [
  ['over STARTTLS', 'smtp', { tls: true }],
  ['over TLS from the first byte', 'smtps', { implicit: true }],
] as const) {
  t.test(`all mail goes to the smarthost, with AUTH ${kind}`, async (t) => {
    await using smarthost = await startSmarthost(options);
    const as = (user: string): string => `"${scheme}://${user}@${SMARTHOST}:${smarthost.port}"`;
    const ofOther = `smarthosts = { "other.agents.box.test" = ${as('other:secret')} }`;
    await using instance = await startInstance({
      outbound: `port = 1\nsmarthost = ${as(credentials)}\n${ofOther}\n`,
      toml: trusted(t),
    });
    instance.dns.zone.set(SMARTHOST, 'A', ['127.0.0.1']);
    t.match(await sendFrom(instance), { status: 'delivered', remote_host: SMARTHOST, tls: /^TLS/, attempts: 1 });
    const [message] = await smarthost.waitFor(1);
    t.match(message, { user: login.user, secure: true, servername: SMARTHOST, rcptTo: ['carol@remote.test'] });
    t.match(message?.mailFrom, /^b-/, 'with a return path of ours');
    t.notOk(
      instance.dns.queries.some(({ type }) => type === 'MX'),
      'no MX query for the recipient',
    );
    await sendFrom(instance);
    t.same(smarthost.logins, [login], 'one session for both');
    const zoe = await instance.addAgent('zoe', await instance.addWorkspace('Other'));
    t.match(await sendFrom(instance, zoe), { status: 'deferred', response: /refused the sign-in/ });
    t.match(smarthost.logins, [login, { user: 'other' }], 'a session of its own where the domain has another login');
    t.same(instance.faults, []);
  });
}

t.test('one sending domain has a smarthost, the others go by MX', async (t) => {
  await using smarthost = await startSmarthost({ tls: true });
  await using direct = await startScriptedHost();
  const url = `smtp://${credentials}@${SMARTHOST}:${smarthost.port}`;
  await using instance = await startInstance({
    outbound: `port = ${direct.port}\nsmarthosts = { "other.agents.box.test" = "${url}" }\n`,
    toml: trusted(t),
  });
  instance.dns.zone.set(SMARTHOST, 'A', ['127.0.0.1']);
  const zoe = await instance.addAgent('zoe', await instance.addWorkspace('Other'));
  t.match(zoe.address, /@other\.agents\.box\.test$/);
  t.match(await sendFrom(instance, zoe), { status: 'delivered', remote_host: SMARTHOST });
  t.match(await sendFrom(instance), { status: 'delivered', remote_host: 'mx.remote.test' });
  t.equal(smarthost.messages.length, 1);
  t.equal(direct.messages.length, 1);
});

t.test('a relay with a login gets one signature, which holds with another Date and Message-ID', async (t) => {
  await using provider = await startSmarthost({ tls: true });
  await using own = await startReceiver({});
  const smarthosts = `{ "other.agents.box.test" = "smtp://${credentials}@${SMARTHOST}:${provider.port}" }`;
  await using instance = await startInstance({
    outbound: `port = 1\nsmarthost = "smtp://${SMARTHOST}:${own.port}"\nsmarthosts = ${smarthosts}\n`,
    toml: trusted(t),
  });
  instance.dns.zone.set(SMARTHOST, 'A', ['127.0.0.1']);
  await sendFrom(instance, await instance.addAgent('zoe', await instance.addWorkspace('Other')));
  await sendFrom(instance);
  const signatures = (raw = '') =>
    [...raw.replace(/\r\n\s/g, ' ').matchAll(/^DKIM-Signature: v=1; a=([^;]*).* h=([^;]*)/gm)].map(
      ([, algorithm, names]) => ({ algorithm, names }),
    );
  t.match(signatures(`${provider.messages[0]?.raw}`), [
    { algorithm: 'rsa-sha256', names: /^From:(?!.*(?:Date|Message-ID))/ },
  ]);
  t.match(signatures(`${own.messages[0]?.raw}`), [
    { algorithm: 'ed25519-sha256', names: /^From:.*Date.*Message-ID/ },
    { algorithm: 'rsa-sha256', names: /^From:.*Date.*Message-ID/ },
  ]);
});

t.test('a reply joins the mail whose Message-ID the relay replaced', async (t) => {
  await using provider = await startSmarthost({ tls: true });
  const smarthost = `smarthost = "smtp://${credentials}@${SMARTHOST}:${provider.port}"\n`;
  await using instance = await startInstance({ outbound: `port = 1\n${smarthost}`, toml: trusted(t) });
  instance.dns.zone.set(SMARTHOST, 'A', ['127.0.0.1']);
  await sendFrom(instance);
  const references = /^References: (.*)\r$/m.exec(`${provider.messages[0]?.raw}`)?.[1];
  const replaced = '<0102018f@eu-west-1.amazonses.com>';
  const headers = { Subject: 'Another', 'In-Reply-To': replaced, References: `${references} ${replaced}` };
  await sendMail(instance.smtpPort, { to: [instance.agents.ann.address], headers });
  const { threads } = await instance.client(instance.agents.ann).threads.list();
  t.match(threads, [{ subject: 'Hi', message_count: 2 }]);
});

t.test('a certificate that is not the smarthost’s keeps password and mail back', async (t) => {
  for (const [what, certificate, options] of [
    ['of another name', selfSigned('impostor.test'), { tls: true }],
    ['of another name, from the first byte', selfSigned('impostor.test'), { implicit: true }],
  ] as const) {
    await using smarthost = await startSmarthost(options, certificate);
    const scheme = 'implicit' in options ? 'smtps' : 'smtp';
    const file = join(t.testdir({}), 'ca.pem');
    // Even an authority that is trusted vouches for the names in its certificates alone.
    writeFileSync(file, certificate.cert);
    await using instance = await startInstance({
      outbound: `port = 1\nsmarthost = "${scheme}://${credentials}@${SMARTHOST}:${smarthost.port}"\n`,
      toml: `extra_ca_file = "${file}"\n`,
    });
    instance.dns.zone.set(SMARTHOST, 'A', ['127.0.0.1']);
    const delivery = await sendFrom(instance);
    t.match(delivery, { status: 'deferred', attempts: 1, code: null, response: /smart\.test/ }, what);
    t.same(smarthost.logins, []);
    t.equal(smarthost.messages.length, 0);
  }
});

t.test('an untrusted CA, a host without TLS, a wrong password', async (t) => {
  const cases = [
    ['untrusted', { tls: true }, login, /not trusted/],
    ['no TLS', {}, login, /does not offer STARTTLS/],
  ] as const;
  for (const [what, options, known, response] of cases) {
    await using smarthost = await startSmarthost({ ...options, login: known });
    await using instance = await startInstance({
      outbound: `port = 1\nsmarthost = "smtp://${credentials}@${SMARTHOST}:${smarthost.port}"\n`,
    });
    instance.dns.zone.set(SMARTHOST, 'A', ['127.0.0.1']);
    t.match(await sendFrom(instance), { status: 'deferred', code: null, response }, what);
    t.same(smarthost.logins, [], what);
  }
  await using smarthost = await startSmarthost({ tls: true, login: { ...login, password: 'another' } });
  await using instance = await startInstance({
    outbound: `port = 1\nsmarthost = "smtp://${credentials}@${SMARTHOST}:${smarthost.port}"\n`,
    toml: trusted(t),
  });
  instance.dns.zone.set(SMARTHOST, 'A', ['127.0.0.1']);
  const delivery = await sendFrom(instance);
  t.match(delivery, { code: 535 }, 'the smarthost’s reply is recorded');
  t.equal(
    delivery.status,
    'deferred',
    'our password is no fault of the recipient’s: the mail waits until it is mended',
  );
  t.equal(smarthost.messages.length, 0);
});

const reasonOf = async (instance: TestInstance, event = 'deferred'): Promise<unknown> => {
  const lines = await eventually(async () => {
    const { stdout } = await runCli(instance.configPath, 'trace', 'carol@remote.test', '--json');
    const { trace } = JSON.parse(stdout || '{"trace":[]}') as { trace: { mail: string; reason: string }[] };
    return trace.find(({ mail }) => mail === event);
  });
  return lines?.reason;
};

const findingOf = async (instance: TestInstance, name: string) => {
  const { stdout } = await runCli(instance.configPath, 'doctor', '--json');
  const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string; detail: string }[] };
  return checks.find((each) => each.name === name);
};

t.test('a smarthost that wants a login where the config has none keeps the mail waiting', async (t) => {
  await using host = await startScriptedHost({
    at: (step) => (step === 'MAIL' ? '530 5.7.0 Authentication required' : undefined),
  });
  await using instance = await startInstance({ outbound: `smarthost = "smtp://${SMARTHOST}:${host.port}"\n` });
  instance.dns.zone.set(SMARTHOST, 'A', ['127.0.0.1']);
  t.match(await sendFrom(instance), { status: 'deferred', code: 530, response: /smart\.test refused the sign-in/ });
  t.equal(await reasonOf(instance), 'smarthost_sign_in');
});

t.test('a smarthost that fails for five days suppresses no recipient', async (t) => {
  const clock = movableClock();
  await using smarthost = await startSmarthost({ tls: true, login: { ...login, password: 'another' } });
  await using instance = await startInstance({
    outbound: `smarthost = "smtp://${credentials}@${SMARTHOST}:${smarthost.port}"\n`,
    toml: trusted(t),
    runtime: { clock },
  });
  instance.dns.zone.set(SMARTHOST, 'A', ['127.0.0.1']);
  t.match(await sendFrom(instance), { status: 'deferred', response: /refused the sign-in/ });
  clock.pass(5 * DAY);
  instance.daemon.outbound.wake();
  await instance.daemon.outbound.idle();
  const client = instance.client(instance.agents.ann);
  const { messages } = await client.messages.list({ direction: 'out' });
  t.match(messages, [{ status: 'bounced' }]);
  const { suppressions } = await client.suppressions.list({});
  t.same(suppressions, []);
});

t.test('what a smarthost refuses for its customer’s sake bounces, and suppresses nobody', async (t) => {
  let refusal = '';
  await using host = await startScriptedHost({ at: (step) => (step === 'RCPT' ? refusal : undefined) });
  await using instance = await startInstance({ outbound: `smarthost = "smtp://${SMARTHOST}:${host.port}"\n` });
  instance.dns.zone.set(SMARTHOST, 'A', ['127.0.0.1']);
  const client = instance.client(instance.agents.ann);
  for (const said of [
    '550 You have reached your sending limit',
    '554 5.7.1 Relay access denied',
    '550 5.7.1 Account suspended',
    '552 5.2.2 Daily quota exceeded',
  ]) {
    refusal = said;
    t.match(await sendFrom(instance), { status: 'bounced', response: said }, said);
    t.same((await client.suppressions.list({})).suppressions, [], said);
  }
  t.equal(await reasonOf(instance, 'bounced'), 'smarthost_refused');
  refusal = '550 5.1.1 User unknown';
  await sendFrom(instance);
  const { suppressions } = await client.suppressions.list({});
  t.match(suppressions, [{ address: 'carol@remote.test', bounce_type: 'permanent', until: null }]);
});

t.test('trace, queue and doctor name what failed at the smarthost', async (t) => {
  const cases = [
    ['smarthost_tls', { tls: true }, login, '', /TLS with the smarthost smart\.test failed: .*not trusted/],
    ['smarthost_tls', {}, login, '', /TLS with the smarthost smart\.test failed: .*does not offer STARTTLS/],
    ['smarthost_sign_in', { tls: true }, { ...login, password: 'no' }, trusted(t), /smart\.test refused the sign-in: /],
  ] as const;
  for (const [reason, options, known, toml, words] of cases) {
    await using smarthost = await startSmarthost({ ...options, login: known });
    await using instance = await startInstance({
      outbound: `port = 1\nsmarthost = "smtp://${credentials}@${SMARTHOST}:${smarthost.port}"\n`,
      toml,
    });
    instance.dns.zone.set(SMARTHOST, 'A', ['127.0.0.1']);
    t.match(await sendFrom(instance), { status: 'deferred', response: words });
    t.equal(await reasonOf(instance), reason);
    const queued = await cliJson(instance.configPath, 'queue', 'list');
    t.match(queued, { queue: [{ last_response: words }] });
    t.match(await findingOf(instance, 'smarthost'), { status: 'fail', detail: words });
    t.match(await findingOf(instance, 'port_25_outward'), { status: 'skipped' });
  }
  await using instance = await startInstance({ outbound: `port = 1\nsmarthost = "smtp://${SMARTHOST}:1"\n` });
  t.match(await sendFrom(instance), { response: /smarthost smart\.test could not be looked up/ });
  t.equal(await reasonOf(instance), 'smarthost_unreachable');
});

t.test('the doctor signs in, and SPF has what relays: shown, checked and served', async (t) => {
  await using smarthost = await startSmarthost({ tls: true });
  const outbound = `port = 1\nsmarthost = "smtp://${credentials}@${SMARTHOST}:${smarthost.port}"\n`;
  const settings = { outbound: `${outbound}spf_include = ["_spf.relay.test"]\n`, toml: trusted(t) };
  await using instance = await startInstance({
    ...settings,
    toml: `${settings.toml}[dns.server]\nlisten = ["127.0.0.1:0"]\n`,
  });
  const { zone } = instance.dns;
  zone.set(SMARTHOST, 'A', ['127.0.0.1']);
  zone.set('_spf.relay.test', 'TXT', ['v=spf1 ip4:192.0.2.9 -all']);
  t.match(await findingOf(instance, 'smarthost'), { status: 'ok', detail: /takes mail of box/ });
  t.same(smarthost.logins, [login]);
  t.equal(await findingOf(instance, 'smarthost_spf'), undefined);
  const value = 'v=spf1 a:mx.box.test include:_spf.relay.test -all';
  const acme = 'acme.agents.box.test';
  const shown = (await cliJson(instance.configPath, 'dns', 'show', acme)) as unknown as { purpose: string }[];
  t.match(
    shown.find(({ purpose }) => purpose === 'spf'),
    { value },
  );
  t.same(await digShort(instance.daemon.dns[0] ?? '', acme, 'TXT'), [`"${value}"`]);
  zone.set(acme, 'TXT', ['v=spf1 a:mx.box.test -all']);
  const { stdout } = await runCli(instance.configPath, 'dns', 'check', acme);
  t.match(stdout, /Insert include:_spf\.relay\.test before its last term/);
  await using without = await startInstance({ outbound, toml: settings.toml });
  without.dns.zone.set(SMARTHOST, 'A', ['127.0.0.1']);
  t.match(await findingOf(without, 'smarthost_spf'), { status: 'warn' });
});
