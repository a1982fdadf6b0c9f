/** Runs inside test/harness/install/machine: installs, upgrades and removes the release that the first argument names. */

import { execFile } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { startDns } from '../../harness/net/dns.ts';
import { startPostfix } from '../../harness/smtp/postfix.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

const TARBALL = process.argv[2] ?? '';
const VERSIONS = '/srv/versions';
const MAIL_PORT = 2525;
const CONFIG = '/etc/postroom/postroom.toml';
const UNIT = '/etc/systemd/system/postroom.service';
const NAMES = ['--hostname', 'mx.example.test', '--base-domain', 'agents.example.test', '--owner', 'you@remote.test'];

interface Ran {
  code: number;
  text: string;
}

const run = (file: string, args: readonly string[], cwd = '/'): Promise<Ran> =>
  new Promise((done) => {
    const env = { ...process.env };
    env.PATH = `/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`;
    const child = execFile(
      'env',
      ['-u', 'NODE_OPTIONS', file, ...args],
      { cwd, env, maxBuffer: 2 ** 24 },
      (error, stdout, stderr) => {
        done({ code: error ? Number(error.code ?? 1) : 0, text: `${stdout}\n${stderr}` });
      },
    );
    // A question finds no answer.
    child.stdin?.end();
  });

const postroom = async (...args: string[]) => {
  const { code, text } = await run('/usr/local/bin/postroom', [...args, '--json']);
  if (code !== 0) throw new Error(`postroom ${args.join(' ')}: ${code} ${text}`);
  return JSON.parse(text);
};

const installer = (version: string, ...args: string[]): Promise<Ran> =>
  run(join(VERSIONS, version, 'install.sh'), args, join(VERSIONS, version));

/** A tree of another version: that of an earlier one with edits. */
const makeVersion = async (
  from: string,
  version: string,
  edits: Readonly<Record<string, (text: string) => string>>,
): Promise<void> => {
  const folder = join(VERSIONS, version);
  cpSync(join(VERSIONS, from), folder, { recursive: true });
  const all = {
    ...edits,
    'package.json': (text: string) => text.replace(/"version": ".+"/, `"version": "${version}"`),
  };
  for (const [file, edit] of Object.entries(all)) {
    const text = readFileSync(join(folder, file), 'utf8');
    const edited = edit(text);
    if (edited === text) throw new Error(`${file} is as it was.`);
    writeFileSync(join(folder, file), edited);
  }
  await run('sh', ['-c', 'find * -type f ! -name SHA256SUMS | sort | xargs sha256sum > SHA256SUMS'], folder);
};

const withMigration = (name: string, kind: string, up: string) => ({
  'build/server/store/migrations.js': (text: string) =>
    text.replace(/\];\s*$/, `{ name: '${name}', kind: '${kind}', up: '${up}' },\n];`),
});

const api = (key: string, method: string, path: string, body?: unknown) =>
  new Promise<{ status: number; body: Record<string, unknown> }>((done, fail) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const asked = request(
      { host: '127.0.0.1', port: 443, path, method, headers, rejectUnauthorized: false },
      (reply) => {
        let text = '';
        reply.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        reply.once('end', () => done({ status: reply.statusCode ?? 0, body: JSON.parse(text) }));
      },
    );
    asked.once('error', fail).end(body === undefined ? undefined : JSON.stringify(body));
  });

const subjects = async (key: string): Promise<string[]> => {
  const { status, body } = await api(key, 'GET', '/v1/messages');
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return (body.messages as { subject: string }[]).map(({ subject }) => subject).sort();
};

const current = (): string =>
  basename(readFileSync('/opt/postroom/current/package.json', 'utf8').match(/"version": "(.+)"/)?.[1] ?? '');
const servicePid = (): string => readFileSync('/run/stand-in/postroom.pid', 'utf8');
const notified = (): string => readFileSync('/run/stand-in/postroom.notified', 'utf8');
const ownerOf = (path: string): number => statSync(path).uid;

t.setTimeout(560_000);
mkdirSync(join(VERSIONS, 'released'), { recursive: true });
await run('tar', ['xzf', TARBALL, '--strip-components=1', '-C', join(VERSIONS, 'released')]);

t.test('checks that fail change nothing', async (t) => {
  const taken = createServer();
  await new Promise<void>((done) => taken.listen(25, '0.0.0.0', done));
  const ran = await installer('released', ...NAMES);
  await new Promise((done) => taken.close(done));
  t.equal(ran.code, 1);
  t.match(ran.text, /FAIL {2}port 25: EADDRINUSE/);
  t.match(ran.text, /Nothing was changed/);
  for (const path of ['/opt/postroom', '/etc/postroom', '/var/lib/postroom', UNIT]) t.notOk(existsSync(path), path);
  const wrong = await installer('released', '--hostname', 'mx.example.test');
  t.equal(wrong.code, 2);
  t.equal((await installer('released', '--upgrade')).code, 1);
});

t.test('installed, it takes mail and answers; upgraded, it keeps it; removed, it is gone', async (t) => {
  const installed = await installer('released', ...NAMES);
  if (installed.code !== 0) t.fail(installed.text);
  t.match(installed.text, /https:\/\/mx\.example\.test\/console\/sign-in\//);
  t.match(installed.text, /MX +agents\.example\.test .* 10 mx\.example\.test/);
  t.match(installed.text, /PTR/);
  const user = ownerOf('/var/lib/postroom');
  t.ok(user > 0);
  for (const path of ['/var/lib/postroom/postroom.db', '/etc/postroom/vault.key']) t.equal(ownerOf(path), user, path);
  t.equal(ownerOf('/opt/postroom/current/build/server/main.js'), 0);
  t.equal(statSync('/etc/postroom/vault.key').mode & 0o777, 0o400);
  t.match(
    readFileSync(`/proc/${servicePid()}/status`, 'utf8'),
    new RegExp(`Uid:\\t${user}\\t[^]*CapEff:\\t0000000000000400\\n`),
  );
  t.match(notified(), /READY=1/);

  const before = servicePid();
  const again = await installer('released', ...NAMES);
  t.equal(again.code, 0);
  t.match(again.text, /Nothing was changed/);
  t.equal(servicePid(), before, 'it goes on running');

  await using dns = await startDns({
    'remote.test': { MX: [{ exchange: 'mx.remote.test', priority: 1 }] },
    'mx.remote.test': { A: ['127.0.0.1'] },
  });
  writeFileSync(
    CONFIG,
    `${readFileSync(CONFIG, 'utf8')}\n[dns]\nresolvers = ["${dns.server}"]\n[outbound]\nport = ${MAIL_PORT}\n[network]\nallow_private = ["127.0.0.0/8"]\n`,
  );
  t.equal((await run('/usr/local/sbin/systemctl', ['restart', 'postroom'])).code, 0);
  t.match(notified(), /STOPPING=1|READY=1/);
  const { address, api_key: key } = await postroom('agents', 'add', 'clerk', '--workspace', 'main');

  await using postfix = await startPostfix({
    port: MAIL_PORT,
    domains: ['remote.test'],
    relayPort: 25,
    relayAddress: '127.0.0.2',
  });
  const mailIn = async (subject: string): Promise<void> => {
    await sendMail(postfix.port, { to: [address], headers: { Subject: subject, To: address } });
    await eventually(async () => {
      // A key has 300 requests a minute.
      await sleep(300);
      return (await subjects(key)).includes(subject) || null;
    });
  };
  await mailIn('A question');
  const { body: list } = await api(key, 'GET', '/v1/messages');
  const [asked] = list.messages as { id: string }[];
  const answered = await api(key, 'POST', `/v1/messages/${asked?.id}/reply`, { body: 'The answer.' });
  t.equal(answered.status, 200, JSON.stringify(answered.body));
  await eventually(async () => postfix.arrived().length > 0 || null);
  t.match(readFileSync(postfix.arrived()[0] ?? '', 'utf8'), /The answer\./);

  await t.test('a backup at night, of which the last are kept', async (t) => {
    const { execStart, user } = {
      execStart:
        /^ExecStart=(.+)$/m.exec(readFileSync('/etc/systemd/system/postroom-backup.service', 'utf8'))?.[1] ?? '',
      user: ['setpriv', '--reuid=postroom', '--regid=postroom', '--clear-groups'],
    };
    const [file = '', ...args] = [...user, 'env', 'KEEP=1', execStart];
    for (const name of ['nightly-20200101T000000Z.zst', 'nightly-20200102T000000Z.zst', 'mine.zst']) {
      await run('setpriv', [
        ...user.slice(1),
        'sh',
        '-c',
        `mkdir -p /var/lib/postroom/backups && touch /var/lib/postroom/backups/${name}`,
      ]);
    }
    const ran = await run(file, args);
    t.equal(ran.code, 0, ran.text);
    const kept = globSync('*', { cwd: '/var/lib/postroom/backups' }).sort();
    t.match(kept, ['mine.zst', /^nightly-202[6-9].*zst$/]);
    t.equal(kept.length, 2);
  });

  await t.test('an upgrade that is well', async (t) => {
    await makeVersion(
      'released',
      '0.2.0',
      withMigration('9980-later', 'additive', 'create table later (id integer) strict'),
    );
    const other = await installer('0.2.0', ...NAMES);
    t.equal(other.code, 1);
    t.match(other.text, /--upgrade/);
    const ran = await installer('0.2.0', '--upgrade', '--wait', '30');
    t.equal(ran.code, 0, ran.text);
    t.equal(current(), '0.2.0');
    t.ok((await subjects(key)).includes('A question'));
    t.equal(globSync('/var/lib/postroom/backups/before-*.zst').length, 1);
    t.same(globSync('/var/lib/postroom/*.before-upgrade'), []);
    await mailIn('After the upgrade');
    t.match((await installer('0.2.0', '--upgrade')).text, /installed already/);
  });

  await t.test('a version that refuses the data takes the place of nothing', async (t) => {
    await makeVersion('0.2.0', '0.3.0', withMigration('9981-broken', 'breaking', 'create table broken ('));
    const pid = servicePid();
    const ran = await installer('0.3.0', '--upgrade');
    t.equal(ran.code, 1);
    t.match(ran.text, /cannot use this data/);
    t.same([current(), servicePid()], ['0.2.0', pid], 'the other has served all the time');
    t.same(globSync('/opt/postroom/releases/0.3.0*'), []);
  });

  await t.test('a version that ends after its start gives way to the one before, with its data', async (t) => {
    await makeVersion('0.2.0', '0.4.0', {
      ...withMigration('9982-later', 'breaking', 'alter table later add column more integer'),
      'build/server/cli/run-daemon.js': (text) =>
        text.replace('told.ready?.();', 'told.ready?.(); setTimeout(() => process.exit(1), 200);'),
    });
    const kept = await subjects(key);
    const ran = await installer('0.4.0', '--upgrade', '--wait', '5');
    t.equal(ran.code, 1);
    t.match(ran.text, /0\.2\.0-\w+ runs again/);
    t.match(ran.text, /the data is as it was before/);
    t.equal(current(), '0.2.0');
    t.same(await subjects(key), kept);
    t.match(await postroom('agents', 'list', '--workspace', 'main'), { agents: [{ handle: 'clerk' }] });
    t.equal((await postroom('verify-data')).ok, true);
    t.equal(globSync('/var/lib/postroom/*.failed-0.4.0*').length > 0, true, 'what it made of the data is kept');
  });

  await t.test('mail that a version took before it gave way is not lost', async (t) => {
    await makeVersion('0.2.0', '0.5.0', {
      ...withMigration('9983-later', 'additive', 'create table latest (id integer) strict'),
      'build/server/transports/http/private-http.js': (text) => text.replace('[ready ? 200 : 503,', '[503,'),
    });
    const upgrade = installer('0.5.0', '--upgrade', '--wait', '12');
    await eventually(async () => current() === '0.5.0' || null);
    await eventually(async () => {
      try {
        await sendMail(25, { to: [address], headers: { Subject: 'In between', To: address } });
        return true;
      } catch {
        return null;
      }
    });
    const ran = await upgrade;
    t.equal(ran.code, 1, ran.text);
    t.equal(current(), '0.2.0');
    t.match(ran.text, /the data stays, with the mail that has come meanwhile/);
    t.ok((await subjects(key)).includes('In between'));
  });

  await t.test('removed', async (t) => {
    const ran = await installer('released', '--uninstall');
    t.equal(ran.code, 0, ran.text);
    for (const path of ['/opt/postroom', UNIT, '/usr/local/bin/postroom']) t.notOk(existsSync(path), path);
    t.ok(existsSync('/var/lib/postroom/postroom.db') && existsSync(CONFIG));
    const asked = await installer('released', '--uninstall', '--purge');
    t.equal(asked.code, 1, 'without an answer nothing is purged');
    t.ok(existsSync('/var/lib/postroom/postroom.db'));
    t.equal((await installer('released', '--uninstall', '--purge', '--yes')).code, 0);
    for (const path of ['/etc/postroom', '/var/lib/postroom']) t.notOk(existsSync(path), path);
  });
});
