import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { restoreDatabase } from '../../../../src/store/sqlite/restore-database.ts';
import { copyEmptyStore } from '../../../harness/small-store.ts';

/** A data file with its octets, and a backup of it. */
const makeBackup = async (t: Test) => {
  const folder = t.testdir();
  const [file, backup] = [join(folder, 'postroom.db'), join(folder, 'backup.zst')];
  await copyEmptyStore(file);
  const before = readFileSync(file);
  writeFileSync(backup, zstdCompressSync(before));
  return { file, backup, before };
};

t.test('a restore that is cut off before its last step leaves the data in its place', async (t) => {
  const { file, backup, before } = await makeBackup(t);
  // The index cannot be removed.
  mkdirSync(`${file}-words`);
  await t.rejects(restoreDatabase(file, backup, { replace: true, now: 1_000 }), { code: 'ERR_FS_EISDIR' });
  t.ok(before.equals(readFileSync(file)));
});

t.test('each of two restores in one second keeps the data that was there', async (t) => {
  const { file, backup, before } = await makeBackup(t);
  const kept = [];
  for (const now of [1_000, 1_400]) kept.push((await restoreDatabase(file, backup, { replace: true, now })).kept ?? '');
  t.not(kept[0], kept[1]);
  t.ok(before.equals(readFileSync(kept[0] ?? '')));
});
