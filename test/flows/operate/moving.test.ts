/** A backup takes along what another machine needs, and goes on there. */

import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { cliJson, runCli } from '../../harness/cli.ts';
import { startInstance } from '../../harness/instance.ts';
import { ofSqlite } from '../../harness/postgres/test-location.ts';

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
