import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { zstdDecompressSync } from 'node:zlib';
import t from 'tap';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { type Certificate, selfSigned } from '../../harness/net/certificate.ts';
import { RawSmtp, type RawSmtpOptions } from '../../harness/smtp/raw-smtp.ts';
import { eventually, plainMail } from '../../harness/smtp/send-mail.ts';

const folder = mkdtempSync(join(tmpdir(), 'postroom-tls-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));

const install = ({ cert, key }: Certificate): void => {
  writeFileSync(join(folder, 'cert.pem'), cert);
  writeFileSync(join(folder, 'key.pem'), key);
};
const files = `mode = "files"\ncert_file = "${folder}/cert.pem"\nkey_file = "${folder}/key.pem"`;

const greet = async (instance: TestInstance, options: Omit<RawSmtpOptions, 'port'> = {}): Promise<RawSmtp> => {
  const client = await RawSmtp.connect({ port: instance.smtpPort, ...options });
  await client.reply();
  await client.command('EHLO client.test');
  return client;
};
const secure = async (instance: TestInstance, options: RawSmtpOptions['tls'] = {}): Promise<RawSmtp> => {
  const client = await greet(instance, { tls: options });
  if (!(await client.command('STARTTLS')).startsWith('220 2.0.0')) throw new Error('No STARTTLS.');
  await client.startTls();
  return client;
};

t.test('mail over STARTTLS', async (t) => {
  install(selfSigned('mx.box.test'));
  await using instance = await startInstance({ tls: files });
  await using plain = await RawSmtp.connect({ port: instance.smtpPort });
  await plain.reply();
  t.match(await plain.command('EHLO client.test'), /^250[ -]STARTTLS$/m);
  t.match(await plain.command('STARTTLS now'), /^501 5\.5\.4/);

  await using client = await secure(instance);
  t.match(await client.command('MAIL FROM:<carol@remote.test>'), /^503 5\.5\.1/, 'what was said before is forgotten');
  t.notMatch(await client.command('EHLO client.test'), /STARTTLS|AUTH/);
  t.match(await client.command('STARTTLS'), /^503 5\.5\.1/);
  await client.command('MAIL FROM:<carol@remote.test>');
  await client.command(`RCPT TO:<${instance.agents.ann.address}>`);
  await client.command('DATA');
  client.write(`${plainMail({})}.\r\n`);
  t.match(await client.reply(), /^250 2\.6\.0/);
  const raw = await instance.inStore(({ read }) =>
    read.selectFrom('raw_messages').select('mime').executeTakeFirstOrThrow(),
  );
  t.match(zstdDecompressSync(raw.mime).toString(), /by mx\.box\.test with ESMTPS id/);
});

t.test('versions of TLS', async (t) => {
  install(selfSigned('mx.box.test'));
  await using instance = await startInstance({ tls: files });
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    await using client = await secure(instance, { minVersion: version, maxVersion: version });
    t.equal(client.session.protocol, version);
  }
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  await using oldest = await secure(instance, old);
  t.equal(oldest.session.protocol, 'TLSv1.1', 'better than none');
  const weak = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' } as const;
  await using cbc = await secure(instance, weak);
  t.equal(cbc.session.protocol, 'TLSv1.2');
  for (const none of ['NULL', 'aNULL', 'PSK']) {
    const ciphers = `${none}:@SECLEVEL=0`;
    await t.rejects(secure(instance, { maxVersion: 'TLSv1.2', ciphers }), none);
  }
  t.same(instance.faults, [], 'a handshake that fails is the client’s business');
});

t.test('what was sent in the clear behind STARTTLS is not run within TLS', async (t) => {
  install(selfSigned('mx.box.test'));
  await using instance = await startInstance({ tls: files });
  await using client = await greet(instance);
  client.write('STARTTLS\r\nEHLO evil.test\r\nMAIL FROM:<evil@remote.test>\r\n');
  t.match(await client.reply(), /^220 2\.0\.0/);
  await client.startTls();
  t.match(await client.command('NOOP'), /^250 2\.0\.0/, 'the first reply is to what was sent in TLS');
  t.match(await client.command('RCPT TO:<ann@acme.agents.box.test>'), /^503 5\.5\.1/);
});

t.test('a handshake that stalls is ended', async (t) => {
  install(selfSigned('mx.box.test'));
  await using instance = await startInstance({ tls: files, toml: '[smtp.limits]\ncommand_seconds = 0.3\n' });
  await using client = await greet(instance);
  t.match(await client.command('STARTTLS'), /^220/);
  t.equal(await client.rest(10_000), '', 'and nothing is said in the clear');
  await using other = await secure(instance);
  t.match(await other.command('EHLO client.test'), /^250/);
});

t.test('a new certificate is used without a restart, a broken one is not', async (t) => {
  install(selfSigned('mx.box.test'));
  await using instance = await startInstance({ tls: files });
  const fingerprint = async () => {
    await using client = await secure(instance);
    return client.session.fingerprint;
  };
  const first = await fingerprint();
  await using old = await secure(instance);

  writeFileSync(join(folder, 'cert.pem'), selfSigned('other.box.test').cert);
  process.kill(process.pid, 'SIGHUP');
  await eventually(async () => instance.faults.length > 0);
  t.equal(await fingerprint(), first, 'a certificate without its key');
  t.match(instance.faults, [{ err: Error }]);

  install(selfSigned('other.box.test'));
  process.kill(process.pid, 'SIGHUP');
  await eventually(async () => (await fingerprint()) !== first);
  t.match(await old.command('EHLO client.test'), /^250/, 'a session goes on with what it began');
  const served = await new Promise<string>((resolve, reject) => {
    const { port } = new URL(instance.baseUrl);
    const socket = tls.connect({ host: '127.0.0.1', port: Number(port), rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.once('error', reject);
  });
  t.equal(served, await fingerprint(), 'HTTP has it as well');
  t.equal(instance.faults.length, 1);
});
