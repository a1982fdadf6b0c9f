/** The data of every schema that has landed (scripts/data-files.ts makes the files) opens in this version, whole. */

import { chmodSync, copyFileSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import t from 'tap';
import { openInstance } from '../../../src/app/instance.ts';
import { parseConfig } from '../../../src/config/config-text.ts';
import { checkData, checkFile } from '../../../src/doctor/check-data.ts';
import { dataFilesOf } from '../../../src/store/data-files.ts';
import { migrations } from '../../../src/store/migrations.ts';
import { dataFileOf, ofSqlite } from '../../harness/postgres/test-location.ts';

const ofFile = ofSqlite(t, 'files of earlier versions are opened');

const KEPT = join(import.meta.dirname, '../../data-files');
const files = globSync('*/*.zst', { cwd: KEPT }).sort();

/** A folder with the key and a config of its own. */
const place = (folder: string) => {
  mkdirSync(join(folder, 'data'), { recursive: true });
  const key = join(folder, 'vault.key');
  copyFileSync(join(KEPT, 'vault.key'), key);
  chmodSync(key, 0o600);
  const text =
    'hostname = "mx.box.test"\nbase_domain = "agents.box.test"\ndata_dir = "data"\n[vault]\nkey_file = "vault.key"\n';
  writeFileSync(join(folder, 'postroom.toml'), text);
  return parseConfig(text, join(folder, 'postroom.toml'));
};

t.ok(files.length >= 25, `${files.length} files`);

for (const name of files) {
  ofFile(name, async (t) => {
    const config = place(t.testdir());
    const data = dataFilesOf(config.storage.url);
    await data.unpack(join(KEPT, name), dataFileOf(config));
    t.same(
      (await data.schema()).pending.length + Number(basename(name).slice(0, 2)),
      migrations.length,
      'the schema that it is named for',
    );
    const instance = await openInstance(config, { lock: true, migrates: true });
    try {
      const { store, activityKey, vaultKeys } = instance;
      const found = [
        ...checkFile(await data.verify()),
        ...(await checkData({
          db: store.read,
          activityKey,
          vaultState: await vaultKeys.state(store.read),
          keyFile: config.vault.key_file,
        })),
      ];
      t.same(
        found.filter(({ status }) => status !== 'ok'),
        [],
      );
      t.ok(
        found.some(({ name: check, detail }) => check === 'mail' && /[1-9]/.test(detail)),
        'with mail in it',
      );
    } finally {
      await instance.close();
    }
  });
}
