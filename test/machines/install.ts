/**
 * Inside of test/harness/machine/world: a release is installed, upgraded by releases that are well, broken or unsigned, and
 * removed.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { HOSTNAME, NAMES, serverOn } from '../harness/machine/installed.ts';
import { bootMachine, INTERNET } from '../harness/machine/machine.ts';
import { makeVersion, withMigration } from '../harness/machine/versions.ts';
import { startDns } from '../harness/net/dns.ts';
import { startReceiver } from '../harness/smtp/mail-receiver.ts';
import { eventually, sendMail } from '../harness/smtp/send-mail.ts';

const [root = '', release = '', key = ''] = process.argv.slice(2);
const CONFIG = '/etc/postroom/postroom.toml';
const UNIT = '/etc/systemd/system/postroom.service';

t.setTimeout(560_000);
await using machine = await bootMachine(root, 'mx');
await using dns = await startDns(
  {
    [HOSTNAME]: { A: [machine.ipv4], AAAA: [machine.ipv6] },
    'remote.test': { MX: [{ exchange: 'mx.remote.test', priority: 1 }] },
    'mx.remote.test': { A: [INTERNET.ipv4] },
    'six.test': { MX: [{ exchange: 'mx.six.test', priority: 1 }] },
    'mx.six.test': { AAAA: [INTERNET.ipv6] },
  },
  { host: INTERNET.ipv4, port: 53 },
);
void dns;
await using overIpv4 = await startReceiver({ listen: { host: INTERNET.ipv4, port: 25 } });
await using overIpv6 = await startReceiver({ listen: { host: INTERNET.ipv6, port: 25 } });

const server = serverOn(machine, release);
const { inside, postroom, api, subjects, current, pid, ownerOf, versions: VERSIONS } = server;
const installer = server.install;

await t.test('what is wrong changes nothing', async (t) => {
  const refused = async (expected: RegExp, ...args: string[]): Promise<void> => {
    const { code, text } = await installer('released', ...args);
    t.not(code, 0, text);
    t.match(text, expected);
    for (const path of ['/opt/postroom', '/etc/postroom', '/var/lib/postroom', UNIT]) t.notOk(existsSync(inside(path)));
    t.not((await machine.run(['id', 'postroom'])).code, 0, 'no user');
  };
  await refused(/--base-domain should be a domain name/, ...NAMES.with(3, 'agents_x.example.test'));
  await refused(/--owner/, ...NAMES.with(5, 'you'));
  await refused(/NAME is empty/, ...NAMES, '--workspace', ' ');
  await refused(/all needed/, '--hostname', HOSTNAME);
  await refused(/Nothing is installed here yet/, '--upgrade');
  writeFileSync(join(VERSIONS, 'released/build/server/extra.js'), '');
  await refused(/does not list, such as f {2}build\/server\/extra\.js/, ...NAMES);
  rmSync(join(VERSIONS, 'released/build/server/extra.js'));
  await machine.do(
    'systemd-run',
    '--unit=web',
    '/srv/released/node_modules/.bin/node',
    '-e',
    'require("http").createServer().listen(443)',
  );
  await eventually(async () => (await machine.do('ss', '-ltn')).includes(':443 ') || null);
  await refused(/FAIL {2}port 443: EADDRINUSE.*--behind-proxy/, ...NAMES);
  await machine.do('systemctl', 'stop', 'web');
});

await t.test(
  'installed, mail comes in and goes out over both families; upgraded, it stays; removed, it is gone',
  async (t) => {
    const began = performance.now();
    const installed = await installer('released', ...NAMES);
    t.equal(installed.code, 0, installed.text);
    t.comment(`installed in ${Math.round(performance.now() - began)} ms`);
    t.match(installed.text, /agents\.example\.test\. NS mx\.example\.test\./);
    t.match(installed.text, /postroom agents add sales --workspace main/);
    t.match(
      installed.text,
      /ssh -L 8443:localhost:443 root@mx\.example\.test\n +https:\/\/localhost:8443\/console\/sign-in\//,
    );
    t.match(installed.text, /signup +closed/);
    const user = await ownerOf('/var/lib/postroom');
    t.ok(user > 0);
    t.equal(await ownerOf('/etc/postroom'), 0);
    t.equal(statSync(inside('/etc/postroom/vault.key')).mode & 0o777, 0o400);
    t.equal(await ownerOf('/opt/postroom/current/build/server/main.js'), 0);
    t.match(
      await machine.do('cat', `/proc/${await pid()}/status`),
      new RegExp(`Uid:\\t${user}\\t[^]*CapEff:\\t0000000000000400\\n`),
    );

    const before = await pid();
    const again = await installer('released', ...NAMES);
    t.equal(again.code, 0, again.text);
    t.match(again.text, /Nothing was changed/);
    const other = await installer('released', ...NAMES.with(3, 'other.example.test'));
    t.equal(other.code, 1);
    t.match(other.text, /--base-domain is agents\.example\.test there, not other\.example\.test/);
    t.equal(await pid(), before, 'it goes on running');

    writeFileSync(inside(CONFIG), '\n[network]\nallow_private = ["198.51.100.0/24", "2001:db8::/32"]\n', { flag: 'a' });
    // No limit of starts leaves mail down: by hand, six times in a row.
    t.match(await machine.do('systemctl', 'show', '-p', 'StartLimitIntervalUSec', 'postroom'), '=0\n');
    for (let count = 6; count > 0; count--) await machine.do('systemctl', 'restart', 'postroom');
    await machine.do('postroom', 'ready', '--within', '30');
    const vaultKey = inside('/etc/postroom/vault.key');
    renameSync(vaultKey, `${vaultKey}.away`);
    await machine.do('systemctl', 'restart', 'postroom');
    t.match(await postroom('ready', '--within', '30'), { ready: true }, "it serves without the vault's key");
    renameSync(`${vaultKey}.away`, vaultKey);
    await machine.do('systemctl', 'restart', 'postroom');
    const { address = '', api_key: apiKey = '' } = await postroom('agents', 'add', 'clerk', '--workspace', 'main');

    const mailIn = async (host: string, subject: string): Promise<void> => {
      await sendMail(25, { host, to: [address], headers: { Subject: subject, To: address } });
      await eventually(async () => (await subjects(apiKey)).includes(subject) || null, 30_000);
    };
    await mailIn(machine.ipv4, 'Over IPv4');
    await mailIn(machine.ipv6, 'Over IPv6');
    for (const [host, receiver] of [
      ['remote.test', overIpv4],
      ['six.test', overIpv6],
    ] as const) {
      const sent = await api(apiKey, 'POST', '/v1/messages', {
        to: [`carol@${host}`],
        subject: 'Out',
        body: 'Good day.',
      });
      t.equal(sent.status, 200, JSON.stringify(sent.body));
      const [message] = await receiver.waitFor(1);
      t.match(String(message?.raw), /^DKIM-Signature:.*Good day\./ms);
    }

    await t.test('log lines carry their priority', async (t) => {
      const warnings = await machine.do('journalctl', '-u', 'postroom', '-p', 'warning', '-o', 'cat', '--no-pager');
      const lines = warnings.split('\n').filter((line) => line.startsWith('{'));
      t.ok(lines.length > 0);
      t.ok(lines.every((line) => ['warn', 'error', 'fatal'].includes(JSON.parse(line).level)));
    });

    await t.test('the nightly backup, of which the last are kept', async (t) => {
      const backups = inside('/var/lib/postroom/backups');
      const old = [
        'nightly-20200101T000000Z.zst',
        'nightly-20200102T000000Z.zst',
        'nightly-20200103T000000Z.zst.partial',
      ];
      for (const name of [...old, 'mine.zst']) {
        await machine.do(
          'setpriv',
          '--reuid=postroom',
          '--regid=postroom',
          '--clear-groups',
          'sh',
          '-c',
          `mkdir -p /var/lib/postroom/backups && touch /var/lib/postroom/backups/${name}`,
        );
      }
      mkdirSync(inside('/etc/systemd/system/postroom-backup.service.d'), { recursive: true });
      writeFileSync(
        inside('/etc/systemd/system/postroom-backup.service.d/keep.conf'),
        '[Service]\nEnvironment=KEEP=1\n',
      );
      await machine.do('systemctl', 'daemon-reload');
      await machine.do('systemctl', 'enable', '--now', 'postroom-backup.timer');
      await machine.do('systemctl', 'start', 'postroom-backup');
      const kept = globSync('*', { cwd: backups }).sort();
      t.match(kept, ['mine.zst', /^nightly-202[6-9].*zst$/]);
      t.equal(kept.length, 2);
    });

    await t.test('an upgrade that is well', async (t) => {
      makeVersion(VERSIONS, 'released', '0.2.0', {
        edits: withMigration('9980-later', 'additive', 'create table later (id integer) strict'),
        key,
      });
      const other = await installer('0.2.0', ...NAMES);
      t.equal(other.code, 1);
      t.match(other.text, /--upgrade/);
      const ran = await installer('0.2.0', '--upgrade', '--wait', '60');
      t.equal(ran.code, 0, ran.text);
      t.equal(current(), '0.2.0');
      t.ok((await subjects(apiKey)).includes('Over IPv4'));
      t.equal(globSync('before-*.zst', { cwd: inside('/var/lib/postroom/backups') }).length, 1);
      t.same(globSync('*.before-upgrade', { cwd: inside('/var/lib/postroom') }), []);
      await mailIn(machine.ipv4, 'After the upgrade');
      t.match((await installer('0.2.0', '--upgrade')).text, /installed already/);
    });

    await t.test('a release that the kept key has not signed is not taken', async (t) => {
      makeVersion(VERSIONS, '0.2.0', '0.2.1', { edits: {}, key: null });
      const unsigned = await installer('0.2.0', '--upgrade', '/srv/0.2.1');
      t.equal(unsigned.code, 1);
      t.match(unsigned.text, /not signed by a key of/);
      rmSync(join(VERSIONS, '0.2.1/SHA256SUMS.sig'));
      t.match((await installer('0.2.1', '--upgrade')).text, /is not signed/);
      t.equal(current(), '0.2.0');
    });

    await t.test('a version that ends after its start gives way to the one before, with its data', async (t) => {
      makeVersion(VERSIONS, '0.2.0', '0.4.0', {
        edits: {
          ...withMigration('9982-later', 'breaking', 'alter table later add column more integer'),
          'build/server/chunk-*.js': (text) =>
            text.replace(/\btold\.ready\?\.\(\)/, 'told.ready?.(), setTimeout(() => process.exit(1), 200)'),
        },
        key,
      });
      const kept = await subjects(apiKey);
      const packed = inside('/root/postroom-0.4.0.tar');
      execFileSync('tar', ['cf', packed, '-C', VERSIONS, '0.4.0']);
      const ran = await machine.run(
        ['/opt/postroom/current/install.sh', '--upgrade', 'postroom-0.4.0.tar', '--wait', '5'],
        { cwd: '/root' },
      );
      t.equal(ran.code, 1);
      t.match(ran.text, /0\.2\.0-\w+ runs again/);
      t.match(ran.text, /the data is as it was before/);
      t.equal(current(), '0.2.0');
      t.same(await subjects(apiKey), kept);
      t.equal((await postroom('verify-data')).ok, true);
      t.equal(
        globSync('*.failed-0.4.0*', { cwd: inside('/var/lib/postroom') }).length > 0,
        true,
        'what it made is kept',
      );
    });

    await t.test('a version that refuses the data takes the place of nothing', async (t) => {
      makeVersion(VERSIONS, '0.2.0', '0.3.0', {
        edits: withMigration('9981-broken', 'breaking', 'create table broken ('),
        key,
      });
      const serving = await pid();
      const ran = await installer('0.3.0', '--upgrade');
      t.equal(ran.code, 1);
      t.match(ran.text, /cannot use this data/);
      t.same([current(), await pid()], ['0.2.0', serving], 'the other has served all the time');
      t.same(globSync('0.3.0*', { cwd: inside('/opt/postroom/releases') }), []);
    });

    await t.test('mail that a version took before it gave way is not lost', async (t) => {
      makeVersion(VERSIONS, '0.2.0', '0.5.0', {
        edits: {
          ...withMigration('9983-later', 'additive', 'create table latest (id integer) strict'),
          'build/server/app-*.js': (text) => text.replace(/\[\s*ready\s*\?\s*200\s*:\s*503\s*,/, '[503,'),
        },
        key,
      });
      const upgrade = installer('0.5.0', '--upgrade', '--wait', '12');
      await eventually(async () => current() === '0.5.0' || null, 60_000);
      await eventually(async () => {
        try {
          await sendMail(25, { host: machine.ipv4, to: [address], headers: { Subject: 'In between', To: address } });
          return true;
        } catch {
          return null;
        }
      }, 30_000);
      const ran = await upgrade;
      t.equal(ran.code, 1, ran.text);
      t.equal(current(), '0.2.0');
      t.match(ran.text, /the data stays, with the mail that has come meanwhile/);
      t.ok((await subjects(apiKey)).includes('In between'));
    });

    await t.test('back to the release before, with the data of before the upgrade', async (t) => {
      const [old] = globSync('*', { cwd: inside('/opt/postroom/releases') }).filter((name) => !/^0\.[25]/.test(name));
      const steps = `systemctl stop postroom && ln -sfn /opt/postroom/releases/${old} /opt/postroom/current
        postroom restore /var/lib/postroom/backups/before-0.2.0-*.zst --replace --yes && systemctl start postroom`;
      await machine.do('bash', '-ec', steps);
      await eventually(async () => (await subjects(apiKey).catch(() => [])).length || null, 30_000);
      t.notOk((await subjects(apiKey)).includes('After the upgrade'));
    });

    await t.test('removed', async (t) => {
      const ran = await installer('released', '--uninstall');
      t.equal(ran.code, 0, ran.text);
      for (const path of ['/opt/postroom', UNIT, '/usr/local/bin/postroom']) t.notOk(existsSync(inside(path)), path);
      t.ok(existsSync(inside('/var/lib/postroom/postroom.db')) && existsSync(inside(CONFIG)));
      const asked = await installer('released', '--uninstall', '--purge');
      t.equal(asked.code, 1, 'without an answer nothing is purged');
      t.ok(existsSync(inside('/var/lib/postroom/postroom.db')));
      t.equal((await installer('released', '--uninstall', '--purge', '--yes')).code, 0);
      for (const path of ['/etc/postroom', '/var/lib/postroom']) t.notOk(existsSync(inside(path)), path);
    });
  },
);
