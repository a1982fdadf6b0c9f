/** Inside of test/harness/machine/world: upgrades that are cut, by a kill, a closed terminal or a full disk. */

import { existsSync, globSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { NAMES, serverOn } from '../harness/machine/installed.ts';
import { bootMachine } from '../harness/machine/machine.ts';
import { makeVersion, withMigration } from '../harness/machine/versions.ts';
import { eventually } from '../harness/smtp/send-mail.ts';

const [root = '', release = '', key = ''] = process.argv.slice(2);
const INSTALLER = '^bash ./install.sh --upgrade';
const UNTIL_MS = 120_000;

t.setTimeout(600_000);
await using machine = await bootMachine(root, 'cut');
const { current, inside, install, versions } = serverOn(machine, release);
const DATA = inside('/var/lib/postroom');
const isReady = async (): Promise<boolean> => (await machine.run(['postroom', 'ready', '--within', '30'])).code === 0;

await t.test('installed, as the list of its files says', async (t) => {
  const ran = await install('released', ...NAMES);
  t.equal(ran.code, 0, ran.text);
  t.same(globSync('releases/*/node_modules/.cache', { cwd: inside('/opt/postroom') }), []);
});
const first = current();

await t.test('a disk with too little room is not filled', async (t) => {
  makeVersion(versions, 'released', '0.2.0', {
    edits: withMigration('9980-later', 'breaking', 'create table later (id integer) strict'),
    key,
  });
  const df = '#!/bin/sh\necho Avail; echo 64\n';
  await machine.run(['sh', '-c', 'cat > /usr/local/bin/df; chmod 755 /usr/local/bin/df'], { input: df });
  const ran = await install('0.2.0', '--upgrade');
  await machine.do('rm', '/usr/local/bin/df');
  t.match(ran.text, /MB free for \/opt\/postroom: the files of a release want \d+\. Nothing was changed/);
  t.same(globSync('0.2.0*', { cwd: inside('/opt/postroom/releases') }), []);
});

await t.test('a terminal that closes leaves the service running', async (t) => {
  const upgrade = install('0.2.0', '--upgrade');
  await eventually(async () => (await machine.run(['systemctl', 'is-active', 'postroom'])).code !== 0, UNTIL_MS);
  // The kernel and the shell each send one.
  for (let count = 0; count < 3; count++) {
    await machine.run(['pkill', '-HUP', '-f', INSTALLER]);
    await sleep(400);
  }
  await upgrade;
  t.equal(current(), first);
  t.ok(await isReady());
  t.same(globSync('*.before-upgrade', { cwd: DATA }), []);
});

await t.test('killed while the data is migrated, it boots what opens the data, and goes on', async (t) => {
  const upgrade = install('0.2.0', '--upgrade');
  await eventually(async () => globSync('*.before-9980-later', { cwd: DATA }).length > 0, UNTIL_MS);
  await machine.run(['pkill', '-KILL', '-f', INSTALLER]);
  await upgrade;
  t.equal(current(), '0.2.0');
  await machine.run(['systemctl', 'stop', 'postroom']);
  const again = await install('0.2.0', '--upgrade');
  t.match(again.text, /installed already, and runs/);
  t.ok(await isReady());
  t.same(globSync('*.before-upgrade', { cwd: DATA }), []);
});

await t.test('a kept release that cannot use the data stays', async (t) => {
  const kept = globSync('*', { cwd: inside('/opt/postroom/releases') }).find((name) => !name.startsWith('0.2.0'));
  const ran = await machine.run([`/opt/postroom/releases/${kept}/install.sh`, '--upgrade']);
  t.match(ran.text, /cannot use this data/);
  t.ok(existsSync(inside(`/opt/postroom/releases/${kept}`)));
});

await t.test('the backup of an upgrade stays where earlier ones have later times', async (t) => {
  makeVersion(versions, '0.2.0', '0.2.1', { edits: {}, key });
  const later = [1, 2, 3].map((day) => `/var/lib/postroom/backups/before-${day}.zst`);
  await machine.do('touch', '-d', '+1 day', ...later);
  const ran = await install('0.2.1', '--upgrade');
  t.equal(ran.code, 0, ran.text);
  t.equal(globSync('backups/before-0.2.1-*.zst', { cwd: DATA }).length, 1);
  t.equal(globSync('backups/before-*.zst', { cwd: DATA }).length, 3);
});
