import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { selfSigned } from '../../harness/net/certificate.ts';
import { type ReceiverOptions, startReceiver } from '../../harness/smtp/mail-receiver.ts';
import { startScriptedHost } from '../../harness/smtp/scripted-host.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

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
    await using instance = await startInstance({
      outbound: `port = 1\nsmarthost = "${scheme}://${credentials}@${SMARTHOST}:${smarthost.port}"\n`,
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
