/** Backup, restore, verification and migration of the data, by the CLI, beside the daemon and without it. */

import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import Database from 'better-sqlite3';
import t from 'tap';
import { migrations } from '../../../src/store/migrations.ts';
import { migrate } from '../../../src/store/sqlite/migrate.ts';
import { openConnection } from '../../../src/store/sqlite/open-database.ts';
import { cliJson, runCli } from '../../harness/cli.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { dataFileOf, ofSqlite } from '../../harness/postgres/test-location.ts';
import { listSubjects, sendBetween } from '../../harness/smtp/mail-between.ts';

const ofFile = ofSqlite(t, 'a backup is a copy of the file');

interface Verdict {
  ok: boolean;
  checks: { name: string; status: string; detail: string; fix: string | null }[];
}

const statusOf = ({ checks }: Verdict): Record<string, string> =>
  Object.fromEntries(checks.map(({ name, status }) => [name, status]));

const dataFile = ({ config }: TestInstance): string => dataFileOf(config);

const GOOD = {
  data_file: 'ok',
  search_index: 'ok',
  references: 'ok',
  schema: 'ok',
  mail: 'ok',
  activity: 'ok',
  vault_key: 'ok',
};

ofFile('a backup while mail comes and goes is one moment of it, and can be restored', async (t) => {
  await using instance = await startInstance();
  const { configPath } = instance;
  const file = join(instance.directory, 'backup.zst');
  await sendBetween(instance, ['one', 'two']);
  const later = sendBetween(
    instance,
    Array.from({ length: 20 }, (_, n) => `later ${n}`),
  );
  const written = await cliJson(configPath, 'backup', file);
  await later;
  t.match(written, { file, size: statSync(file).size, contains_vault_key: false });
  t.equal(statSync(file).mode & 0o777, 0o600);
  const database = zstdDecompressSync(readFileSync(file));
  t.equal(database.toString('latin1', 0, 15), 'SQLite format 3');
  t.notOk(database.includes(readFileSync(instance.config.vault.key_file)), 'without the key');
  t.same(
    readdirSync(instance.directory).filter((name) => name.startsWith('backup')),
    ['backup.zst'],
    'nothing is left beside it',
  );

  const before = readFileSync(file);
  const again = await runCli(configPath, 'backup', file);
  t.same([again.code, readFileSync(file).equals(before)], [1, true], 'it overwrites nothing');
  t.match(again.stderr, /is there already/);

  t.same(statusOf((await cliJson(configPath, 'restore', file, '--check')) as unknown as Verdict), GOOD);
  t.same(statusOf((await cliJson(configPath, 'verify-data')) as unknown as Verdict), GOOD, 'beside the daemon');
  const running = await runCli(configPath, 'restore', file, '--replace', '--yes');
  t.equal(running.code, 1);
  t.match(running.stderr, /Another daemon/);

  await instance.daemon.stop();
  const unasked = await runCli(configPath, 'restore', file);
  t.equal(unasked.code, 1);
  t.match(unasked.stderr, /--replace/);
  const restored = (await cliJson(configPath, 'restore', file, '--replace', '--yes')) as { kept: string };
  t.ok(existsSync(restored.kept), 'what was there is kept');
  await instance.restart();
  const subjects = await listSubjects(instance);
  t.ok(subjects.includes('one') && subjects.includes('two'));
  await sendBetween(instance, ['after']);
  t.ok((await listSubjects(instance)).includes('after'));
  t.same(statusOf((await cliJson(configPath, 'verify-data')) as unknown as Verdict), GOOD);

  await instance.daemon.stop();
  for (const name of readdirSync(instance.config.data_dir))
    rmSync(join(instance.config.data_dir, name), { recursive: true });
  t.equal((await runCli(configPath, 'restore', file)).code, 0, 'into an empty folder');
  await instance.restart();
  t.ok((await listSubjects(instance)).includes('one'));
});

ofFile(
  'on a new machine a backup is checked before it has data; another vault key is told by the restore',
  async (t) => {
    await using instance = await startInstance();
    const { configPath, config } = instance;
    const file = join(instance.directory, 'backup.zst');
    await cliJson(configPath, 'backup', file);
    await instance.daemon.stop();
    rmSync(config.data_dir, { recursive: true });
    t.same(statusOf((await cliJson(configPath, 'restore', file, '--check')) as unknown as Verdict), GOOD);
    const key = readFileSync(config.vault.key_file);
    t.match(await cliJson(configPath, 'restore', file), { checks: [] });
    writeFileSync(config.vault.key_file, Buffer.alloc(32, 1));
    const { checks } = (await cliJson(configPath, 'restore', file, '--replace', '--yes')) as unknown as Verdict;
    t.match(checks, [{ name: 'vault_key', status: 'fail', detail: `${config.vault.key_file}: other` }]);
    rmSync(config.vault.key_file);
    const { code, stdout } = await runCli(configPath, 'restore', file, '--replace', '--yes');
    t.equal(code, 0);
    t.match(stdout, /The vault's key does not open what was restored\. .*: missing\. Put the key file back/);
    writeFileSync(config.vault.key_file, key, { mode: 0o600 });
    await instance.restart();
  },
);

ofFile('a reader of changes misses none after a restore, though it was further than the backup', async (t) => {
  await using instance = await startInstance();
  const file = join(instance.directory, 'backup.zst');
  const read = async (cursor?: string) => {
    const path = cursor === undefined ? '/v1/changes' : `/v1/changes?cursor=${cursor}`;
    const reply = await instance.request(instance.agents.bob, 'GET', path);
    return (await reply.json()) as { changes: { event: string; subject: string }[]; next_cursor: string };
  };
  await sendBetween(instance, ['one']);
  await cliJson(instance.configPath, 'backup', file);
  await sendBetween(instance, ['two', 'three', 'four']);
  const { next_cursor: cursor } = await read();
  await instance.daemon.stop();
  await cliJson(instance.configPath, 'restore', file, '--replace', '--yes');
  await instance.restart();
  await sendBetween(instance, ['after']);
  t.match((await read(cursor)).changes, [{ event: 'message.received', subject: 'after' }]);
});

ofFile('what a killed backup or check of one has left goes with the next backup', async (t) => {
  await using instance = await startInstance();
  const left = join(instance.config.data_dir, 'postroom.db.snapshot-999999999-');
  writeFileSync(`${left}0`, 'a copy');
  mkdirSync(`${left}check`);
  writeFileSync(join(`${left}check`, 'copy.db'), 'a copy');
  await cliJson(instance.configPath, 'backup', join(instance.directory, 'one.zst'));
  t.same(
    readdirSync(instance.config.data_dir).filter((name) => name.includes('snapshot')),
    [],
  );
});

ofFile('what is no backup, or damaged, replaces nothing', async (t) => {
  await using instance = await startInstance();
  const { configPath, directory } = instance;
  await sendBetween(instance, ['kept']);
  const good = join(directory, 'good.zst');
  t.equal((await runCli(configPath, 'backup', good)).code, 0);
  const bad = (name: string, bytes: Buffer): string => {
    writeFileSync(join(directory, name), bytes);
    return join(directory, name);
  };
  const bytes = readFileSync(good);
  const damaged = Buffer.from(bytes);
  damaged.fill(0, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 64);
  const page = zstdDecompressSync(bytes);
  const pageSize = page.readUInt16BE(16);
  page.fill(0xff, pageSize * 3, pageSize * 4);
  const newer = join(directory, 'newer.db');
  writeFileSync(newer, zstdDecompressSync(bytes));
  const connection = new Database(newer);
  connection.exec("insert into migrations (name, applied_at, additive) values ('9999-of-tomorrow', 1, 0)");
  connection.close();
  await instance.daemon.stop();
  for (const [file, said] of [
    [bad('text.zst', Buffer.from('no backup')), /is no backup/],
    [bad('short.zst', bytes.subarray(0, bytes.length - 20)), /is no backup, or is damaged/],
    [bad('flipped.zst', damaged), /damaged/],
    [bad('other.zst', zstdCompressSync(Buffer.from('hello'))), /holds no database/],
    [bad('page.zst', zstdCompressSync(page)), /damaged/],
    [bad('newer.zst', zstdCompressSync(readFileSync(newer))), /newer version/],
    [join(directory, 'nothing.zst'), /no such file/],
  ] as const) {
    const refused = await runCli(configPath, 'restore', file, '--replace', '--yes');
    t.equal(refused.code, 1, file);
    t.match(refused.stderr, said, file);
    if (!existsSync(file)) continue;
    t.not((await runCli(configPath, 'restore', file, '--check')).code, 0, `${file} --check`);
  }
  t.equal((await runCli(configPath, 'restore', good, '--check', '--replace')).code, 2);
  t.same(
    readdirSync(instance.config.data_dir).filter((name) => /restor|replaced/.test(name)),
    [],
  );
  await instance.restart();
  t.same(await listSubjects(instance), ['kept']);
});

ofFile('verify-data names what is damaged', async (t) => {
  await using instance = await startInstance();
  await sendBetween(instance, ['one', 'two', 'three']);
  await instance.daemon.stop();
  const connection = new Database(dataFile(instance));
  connection.exec("update raw_messages set mime = x'00' where id = 1");
  connection.close();
  const ran = await runCli(instance.configPath, 'verify-data', '--json');
  t.equal(ran.code, 1);
  const found = JSON.parse(ran.stdout) as Verdict;
  t.same([found.ok, statusOf(found)], [false, { ...GOOD, mail: 'fail' }]);
  rmSync(`${dataFile(instance)}-wal`, { force: true });
  const { size } = statSync(dataFile(instance));
  truncateSync(dataFile(instance), Math.floor(size / 2 / 4096) * 4096);
  const torn = await runCli(instance.configPath, 'verify-data', '--json');
  t.equal(torn.code, 1);
  t.match(JSON.parse(torn.stdout), { ok: false, checks: { 0: { name: 'data_file', status: 'fail', fix: String } } });
});

ofFile('only serve and migrate bring an older file up; other commands change nothing', async (t) => {
  await using instance = await startInstance();
  const { configPath, config } = instance;
  await instance.daemon.stop();
  const file = dataFile(instance);
  for (const side of ['', '-wal', '-shm']) rmSync(`${file}${side}`, { force: true });
  const old = openConnection(file, 'write');
  migrate(old, 1, migrations.slice(0, 20));
  old.close();
  const bytes = readFileSync(file);
  for (const args of [
    ['agents', 'list'],
    ['queue', 'list'],
    ['workspaces', 'add', 'x', '--owner', 'a@b.test'],
  ]) {
    const ran = await runCli(configPath, ...args);
    t.equal(ran.code, 1, args.join(' '));
    t.match(ran.stderr, /older version.*postroom migrate/);
  }
  t.ok(readFileSync(file).equals(bytes), 'nothing is changed');
  const copy = join(config.data_dir, 'copy');
  copyFileSync(file, copy);
  const applied = (await cliJson(configPath, 'migrate')) as { applied: string[] };
  t.same(
    applied.applied,
    migrations.slice(20).map(({ name }) => name),
  );
  t.same(await cliJson(configPath, 'migrate'), { applied: [] });
  t.equal((await runCli(configPath, 'agents', 'list')).code, 0);
  const newer = new Database(file);
  newer.exec("insert into migrations (name, applied_at, additive) values ('9999-of-tomorrow', 1, 1)");
  newer.close();
  const ran = await runCli(configPath, 'agents', 'list');
  t.equal(ran.code, 1);
  t.match(ran.stderr, /newer version/);
});

ofFile('a backup that the disk of the data has no room for names that disk', async (t) => {
  await using instance = await startInstance();
  const file = join(t.testdir({}), 'backup.zst');
  const command = [process.execPath, join(import.meta.dirname, '../../../src/main.ts'), 'backup', file];
  const { status, stderr } = spawnSync('prlimit', ['--fsize=65536', ...command, '--config', instance.configPath]);
  t.match({ status, stderr: `${stderr}` }, { status: 1, stderr: /The disk of the data takes no more/ });
  t.match(`${stderr}`, dirname(dataFile(instance)));
  t.notOk(existsSync(file));
});
