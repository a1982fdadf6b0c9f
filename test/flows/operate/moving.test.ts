/** A backup takes along what another machine needs, and goes on there. */

import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { cliJson, runCli, runCliWith } from '../../harness/cli.ts';
import { startInstance } from '../../harness/instance.ts';
import { isPostgres, ofSqlite } from '../../harness/postgres/test-location.ts';

ofSqlite(t, 'a backup is made of the file')(
  'config, key and data of a backup stand whole in another folder, or not at all',
  async (t) => {
    await using instance = await startInstance();
    const { configPath, directory } = instance;
    const at = (name: string): string => join(directory, name);
    writeFileSync(at('pass'), 'correct horse battery staple\n');
    writeFileSync(at('wrong'), 'incorrect\n');
    const withKey = ['--with-key', '--passphrase-file', at('pass')];
    t.equal((await runCli(configPath, 'backup', at('a.zst'), '--with-key')).code, 2, 'a key leaves sealed alone');
    const made = await cliJson(configPath, 'backup', at('a.zst'), '--with-config', ...withKey);
    t.match(made, { contains_vault_key: true, files: [configPath, /sealed/] });
    t.equal(statSync(at('a.zst')).mode & 0o777, 0o600);
    t.notOk(readFileSync(at('a.zst')).includes(readFileSync(instance.config.vault.key_file)));
    await cliJson(configPath, 'backup', at('plain.zst'));

    // Not in /tmp, which is memory on Debian 13, while a backup has all data.
    const { TMPDIR } = process.env;
    process.env.TMPDIR = at('none');
    t.teardown(() => {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    });
    const target = join(directory, 'elsewhere/postroom.toml');
    const restore = (file: string, ...words: string[]) =>
      runCli(target, 'restore', at(file), '--with-config', ...words);
    for (const [refused, file, ...words] of [
      [/passphrase is another/, 'a.zst', '--passphrase-file', at('wrong')],
      [/wants --passphrase-file/, 'a.zst'],
      [/carries no config/, 'plain.zst', '--passphrase-file', at('pass')],
    ] as const) {
      const { code, stderr } = await restore(file, ...words);
      t.equal(code, 1);
      t.match(stderr, refused);
      t.notOk(existsSync(target), 'nothing is written');
    }
    const { code, stderr } = await restore('a.zst', '--passphrase-file', at('pass'));
    t.equal(code, 0, stderr);
    t.same(readFileSync(target, 'utf8'), readFileSync(configPath, 'utf8'));
    t.match(await cliJson(target, 'verify-data'), { ok: true });
    t.same(await cliJson(target, 'agents', 'list'), await cliJson(configPath, 'agents', 'list'));
    const again = await restore('a.zst', '--passphrase-file', at('pass'));
    t.match(again.stderr, /There is a config already/);
  },
);

/** The user `nobody` of Debian. */
const SERVICE = 65_534;
const hasFilesOfRoot = process.getuid?.() === 0 && !isPostgres;

t.test(
  "root's backup reads no more of the data than the service may: a link there leads to no file of root",
  { skip: !hasFilesOfRoot && 'root alone has files that another user may not read' },
  async (t) => {
    await using instance = await startInstance();
    const { configPath, directory, config } = instance;
    const at = (name: string): string => join(directory, name);
    mkdirSync(at('etc'), { mode: 0o755 });
    writeFileSync(at('etc/shadow'), 'of root alone', { mode: 0o600 });
    rmSync(join(config.data_dir, 'tls'), { recursive: true, force: true });
    symlinkSync(at('etc'), join(config.data_dir, 'tls'));
    chmodSync(directory, 0o755);
    for (const name of ['.', ...readdirSync(config.data_dir)]) chownSync(join(config.data_dir, name), SERVICE, SERVICE);
    const linked = await runCliWith('', configPath, 'backup', at('a.zst'), '--with-config');
    t.equal(linked.code, 1, linked.stdout);
    t.notOk(existsSync(at('a.zst')));
    chownSync(at('etc/shadow'), SERVICE, SERVICE);
    const own = await runCliWith('', configPath, 'backup', at('a.zst'), '--with-config', '--json');
    t.match(JSON.parse(own.stdout), { files: [configPath, 'tls/shadow'] }, 'what is of the service is in it');
  },
);
