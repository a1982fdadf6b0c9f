/** Boxes that are listed, hand over and join, on one PostgreSQL. */

import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { readVersion } from '../../src/kernel/files/version.ts';
import { writeKeyFile } from '../../src/seal/key-file.ts';
import { cliJson, runCli, runCliWith } from '../harness/cli.ts';
import { createBrowser } from '../harness/http/browser.ts';
import { OWNER, printedLink } from '../harness/http/owner.ts';
import { listActs } from '../harness/operator.ts';
import { queryOnce, startPostgres } from '../harness/postgres/postgres-server.ts';
import { joinBox } from '../harness/postgres/second-box.ts';
import { spawnDaemon, startProcessBox } from '../harness/process.ts';
import { eventually, sendMail } from '../harness/smtp/send-mail.ts';

const NAME = hostname();
interface ListedBox {
  name: string;
  state: string;
  silent_seconds: number;
  since: string;
  version: string;
  address: string | null;
}
const listBoxes = async (path: string): Promise<ListedBox[]> =>
  (await cliJson(path, 'box', 'list')) as unknown as ListedBox[];

t.test('boxes on one database', async (all) => {
  await using server = await startPostgres();
  const folder = all.testdir();
  const path = join(folder, 'postroom.toml');
  const keyFile = join(folder, 'vault.key');
  const data = ['--data-dir', join(folder, 'data')];
  const joinBy = (url: string) => runCliWith(url, path, 'box', 'join', '-', ...data);
  const refuses = async (t: Test, url: string, reason: RegExp, wanted = 1) => {
    const { code, stderr } = await joinBy(url);
    t.equal(code, wanted);
    t.match(stderr, reason);
  };
  await all.test('a box does not join where there is none', async (t) => {
    await refuses(t, 'sqlite:postroom.db', /is that of a PostgreSQL database/, 2);
    await refuses(
      t,
      server.url.replace('/postgres?', '/nothing?'),
      /cannot be used: database "nothing" does not exist/,
    );
    await refuses(t, server.url, /no installation in/);
  });

  await using first = await startProcessBox({ storageUrl: server.url });
  const { instance } = first;
  await all.test(
    'a box that drains hands over at once, whatever asks, and serves beside the other when it is started again',
    async (t) => {
      const one = { name: NAME, state: 'leading', version: readVersion(), address: null };
      t.match(await listBoxes(instance.configPath), [one]);
      const alone = await runCli(instance.configPath, 'box', 'drain');
      t.equal(alone.code, 1);
      t.match(alone.stderr, /There is no other box: mail would stop/);

      const other = await joinBox(instance);
      const second = spawnDaemon(other.path);
      t.teardown(() => second.end('SIGKILL'));
      await second.ready;
      await eventually(async () => (await listBoxes(other.path)).length === 2);
      const [leading, serving] = await listBoxes(other.path);
      t.match([leading, serving], [one, { ...one, state: 'serving' }], 'from any box');
      const isSilent = async () => Number((await listBoxes(other.path))[1]?.silent_seconds) > 0;
      process.kill(second.pid, 'SIGSTOP');
      await eventually(isSilent);
      process.kill(second.pid, 'SIGCONT');
      await eventually(async () => !(await isSilent()));
      t.match((await runCli(instance.configPath, 'doctor')).stdout, `another box serves on ${NAME}`);
      const unknown = await runCli(instance.configPath, 'box', 'drain', 'elsewhere');
      t.equal(unknown.code, 1);
      t.match(unknown.stderr, /elsewhere does not lead/);

      const { code, stdout } = await runCli(other.path, 'box', 'drain', NAME, '--json');
      t.equal(code, 0);
      t.match(JSON.parse(stdout), { drained: { since: leading?.since }, leading: { since: serving?.since } });
      t.same(await first.daemon.ended, { code: 1, signal: null }, 'systemd starts it again');
      t.match(first.daemon.output(), /"msg":"stopped"/, 'it has ended as it does at a stop');
      t.ok(await sendMail(other.smtp, { to: [instance.agents.ann.address] }));
      t.match(
        (await listActs(instance)).find(({ action }) => action === 'box.drain'),
        {
          actor: 'operator',
          subject: NAME,
          via: 'CLI',
        },
      );

      const again = spawnDaemon(instance.configPath);
      all.teardown(() => again.end('SIGKILL'));
      await again.ready;
      const browser = createBrowser(`http://127.0.0.1:${other.http}`);
      await browser.post(await printedLink(instance));
      t.match((await browser.call('boxes/list')).body, { boxes: [{}, { state: 'serving' }], may_drain: true });
      const elsewhere = await browser.call('boxes/drain', { box: 'elsewhere' });
      t.match(elsewhere, { status: 409, body: { error: 'box_not_leading' } });
      t.equal((await browser.call('boxes/drain')).status, 200);
      await eventually(async () => again.output().includes('"msg":"this box leads"'));
      t.match(
        (await listActs(instance)).find(({ action }) => action === 'box.drain'),
        { actor: OWNER, via: 'console' },
      );
    },
  );

  await all.test(
    'a box does not join by another key, nor serve with it, by other names, or for data that is too new',
    async (t) => {
      await refuses(t, server.url, /There is no .+vault\.key\. Copy/);
      writeKeyFile(keyFile);
      await refuses(t, server.url, /is not the vault's key of the installation/);
      writeFileSync(keyFile, readFileSync(instance.config.vault.key_file));
      t.equal((await joinBy(server.url)).code, 0);
      t.equal(statSync(path).mode & 0o777, 0o640 & ~process.umask());
      const written = readFileSync(path, 'utf8');
      t.match((await joinBy(server.url)).stdout, /is there already, and stays as it is/);
      t.equal(readFileSync(path, 'utf8'), written);
      await refuses(t, server.url.replace('/postgres?', '/other?'), /is there already, and its data is in/);

      mkdirSync(join(folder, 'other'));
      const otherKey = join(folder, 'other', 'vault.key');
      writeKeyFile(otherKey);
      writeFileSync(path, written.replace(/^key_file = ".+"$/m, `key_file = "${otherKey}"`));
      const box = spawnDaemon(path);
      t.same(await box.ended, { code: 78, signal: null });
      t.match(box.output(), /is not the key of this installation/);

      for (const [key, theirs] of [
        ['hostname', 'mx.box.test on the box that leads'],
        ['base_domain', 'agents.box.test, which the data began with'],
      ] as const) {
        writeFileSync(path, written.replace(new RegExp(`^${key} = ".+"$`, 'm'), `${key} = "typo.test"`));
        const named = spawnDaemon(path);
        t.same(await named.ended, { code: 78, signal: null });
        t.match(named.output(), theirs);
      }
      const bases = await queryOnce(server, "select name from domains where kind = 'base'");
      t.same(bases, [{ name: 'agents.box.test' }], 'which leaves nothing behind');

      writeFileSync(path, written);
      await queryOnce(server, "insert into migrations (name, applied_at, additive) values ('9999-later', 0, 0)");
      const older = spawnDaemon(path);
      t.same(await older.ended, { code: 1, signal: null });
      t.match(older.output(), /written by a newer version \(it has 9999-later\)/);
    },
  );
});
