/** Inside of test/harness/machine/world: a certificate from an authority, a backup, and the move to another machine. */

import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:tls';
import t from 'tap';
import { HOSTNAME, NAMES, serverOn } from '../harness/machine/installed.ts';
import { bootMachine, INTERNET } from '../harness/machine/machine.ts';
import { startDns } from '../harness/net/dns.ts';
import { startPebble } from '../harness/net/pebble.ts';
import { startReceiver } from '../harness/smtp/mail-receiver.ts';
import { eventually } from '../harness/smtp/send-mail.ts';

const [root = '', tarball = ''] = process.argv.slice(2);
const CONFIG = '/etc/postroom/postroom.toml';
const ISSUED_WITHIN_MS = 90_000;

t.setTimeout(600_000);
await using first = await bootMachine(root, 'first');
await using second = await bootMachine(root, 'second');
await using dns = await startDns(
  {
    [HOSTNAME]: { A: [first.ipv4], AAAA: [first.ipv6] },
    'remote.test': { MX: [{ exchange: 'mx.remote.test', priority: 1 }] },
    'mx.remote.test': { A: [INTERNET.ipv4] },
  },
  { host: INTERNET.ipv4, port: 53 },
);
await using receiver = await startReceiver({ listen: { host: INTERNET.ipv4, port: 25 } });
await using pebble = await startPebble({ address: INTERNET.ipv4, dnsServer: dns.server, httpPort: 80, tlsPort: 443 });

/** Who has issued the certificate that a machine shows. */
const issuer = (host: string): Promise<string> =>
  new Promise((done, fail) => {
    const socket = connect({ host, port: 443, servername: HOSTNAME, rejectUnauthorized: false }, () => {
      done(String(socket.getPeerCertificate().issuer.CN));
      socket.destroy();
    });
    socket.once('error', fail);
  });

await t.test('a certificate, a backup by root into its own folder, and the instance on another machine', async (t) => {
  const old = serverOn(first, tarball);
  const installed = await old.install('released', ...NAMES);
  t.equal(installed.code, 0, installed.text);
  // Root's alone, in a folder of its own: a file that the service is given, and may not read elsewhere by itself.
  mkdirSync(old.inside('/etc/own'));
  writeFileSync(old.inside('/etc/own/ca.pem'), readFileSync(pebble.caFile));
  await first.do('chmod', '640', '/etc/own/ca.pem');
  await first.do('chgrp', 'postroom', '/etc/own/ca.pem');
  const config = readFileSync(old.inside(CONFIG), 'utf8')
    .replace('mode = "acme"', `mode = "acme"\nacme_directory = "${pebble.directoryUrl}"`)
    .concat('\n[network]\nallow_private = ["198.51.100.0/24", "2001:db8::/32"]\nextra_ca_file = "/etc/own/ca.pem"\n');
  writeFileSync(old.inside(CONFIG), config);
  await first.do('systemctl', 'restart', 'postroom');
  await first.do('postroom', 'ready', '--within', '30');
  await eventually(async () => /^Pebble/.test(await issuer(first.ipv4)), ISSUED_WITHIN_MS);
  const { address = '', api_key: key = '' } = await old.postroom('agents', 'add', 'clerk', '--workspace', 'main');
  await old.mailIn(key, address, first.ipv4, 'Before the move');
  await first.do(
    'sh',
    '-c',
    `echo '{"key": "sesame"}' | postroom secrets add door --workspace main --type api_key --grant clerk`,
  );

  await t.test('root has mail and contacts in its own folder', async (t) => {
    for (const target of ['/root/clerk.mbox', '/root/clerk-mail/']) {
      await first.do('postroom', 'mail', 'export', 'clerk', target);
      t.match(await first.do('postroom', 'mail', 'import', 'clerk', target), /0 imported, 1 skipped as duplicates/);
      const { uid, mode } = statSync(old.inside(target));
      t.same([uid, mode & 0o077], [0, 0]);
    }
    await first.do('postroom', 'contacts', 'export', '/root/book.csv', '--workspace', 'main');
    t.match(await first.do('postroom', 'activity', 'list'), /mail\.export .*by=cli:root\b/);
    t.equal((await first.run(['postroom', 'contacts', 'import', '/root/none.csv', '--workspace', 'main'])).code, 1);
  });

  await t.test('a key of root alone stops the start, and what is to be done is said', async (t) => {
    const before = readFileSync(old.inside(CONFIG), 'utf8');
    const pem = `/var/lib/postroom/tls/${HOSTNAME}.pem`;
    await first.do('cp', pem, '/etc/own/key.pem');
    await first.do('chmod', '600', '/etc/own/key.pem');
    const files = `mode = "files"\ncert_file = "/etc/own/key.pem"\nkey_file = "/etc/own/key.pem"`;
    writeFileSync(old.inside(CONFIG), before.replace('mode = "acme"', files));
    t.not((await first.run(['systemctl', 'restart', 'postroom'])).code, 0);
    const told = /user may not read \/etc\/own\/key\.pem: give it to that user's group/;
    t.match(await first.do('journalctl', '-u', 'postroom', '-n', '8'), told);
    t.match((await first.run(['postroom', 'doctor'])).text, told);
    writeFileSync(old.inside(CONFIG), before);
    await first.do('systemctl', 'restart', 'postroom');
    await first.do('postroom', 'ready', '--within', '30');
  });

  const refused = await first.run(['postroom', 'backup', '/nowhere/of-today.zst']);
  t.equal(refused.code, 1);
  t.match(refused.text, /There is no folder \/nowhere/);
  const asUser = await first.run([
    'setpriv',
    '--reuid=postroom',
    '--regid=postroom',
    '--clear-groups',
    'postroom',
    'backup',
    '/root/x.zst',
  ]);
  t.match(asUser.text, /user postroom may not use \/root\/x\.zst/);
  const wrong = await first.run(['postroom', 'backup', '/root/x.zst', '--with-key']);
  t.equal(wrong.code, 2, 'a key leaves sealed alone');

  writeFileSync(old.inside('/root/pass'), 'correct horse battery staple\n');
  await first.do('systemctl', 'disable', '--now', 'postroom');
  const said = await first.do(
    'postroom',
    'backup',
    '/root/move.zst',
    '--with-config',
    '--with-key',
    '--passphrase-file',
    '/root/pass',
  );
  t.match(said, /postroom\.toml/);
  t.match(said, /tls\/mx\.example\.test\.pem/);
  const { uid, mode } = statSync(old.inside('/root/move.zst'));
  t.same([uid, mode & 0o777], [0, 0o600]);

  const fresh = serverOn(second, tarball);
  for (const name of ['move.zst', 'pass'])
    writeFileSync(fresh.inside(`/root/${name}`), readFileSync(old.inside(`/root/${name}`)));
  writeFileSync(fresh.inside('/root/wrong'), 'incorrect\n');
  const wrongPass = await fresh.install('released', '--restore', '/root/move.zst', '--passphrase-file', '/root/wrong');
  t.equal(wrongPass.code, 1);
  t.match(wrongPass.text, /passphrase is another/);
  const moved = await fresh.install('released', '--restore', '/root/move.zst', '--passphrase-file', '/root/pass');
  t.equal(moved.code, 0, moved.text);
  dns.zone.set(HOSTNAME, 'A', [second.ipv4]);
  dns.zone.set(HOSTNAME, 'AAAA', [second.ipv6]);
  t.same(await fresh.subjects(key), ['Before the move']);
  t.match(await issuer(second.ipv4), /^Pebble/, 'the certificate came along');
  await fresh.mailIn(key, address, second.ipv6, 'After the move');
  const { body } = await fresh.api(key, 'GET', '/v1/secrets');
  const [{ id } = { id: '' }] = body.secrets as { id: string }[];
  t.match((await fresh.api(key, 'GET', `/v1/secrets/${id}`)).body, { secret: { key: 'sesame' } });
  const sent = await fresh.api(key, 'POST', '/v1/messages', {
    to: ['carol@remote.test'],
    subject: 'Out',
    body: 'Moved.',
  });
  t.equal(sent.status, 200, JSON.stringify(sent.body));
  const [message] = await receiver.waitFor(1);
  t.match(String(message?.raw), /^DKIM-Signature:.*Moved\./ms);

  await t.test('the key is rotated by root, in a folder that is root alone', async (t) => {
    await second.do('postroom', 'vault', 'rotate-key', '--yes');
    const { uid: owner, mode: keyMode } = statSync(fresh.inside('/etc/postroom/vault.key'));
    t.same([owner, keyMode & 0o777], [await fresh.ownerOf('/var/lib/postroom'), 0o400]);
    await second.do('systemctl', 'restart', 'postroom');
    await second.do('postroom', 'ready', '--within', '30');
    t.match((await fresh.api(key, 'GET', `/v1/secrets/${id}`)).body, { secret: { key: 'sesame' } });
  });
});
