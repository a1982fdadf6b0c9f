import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import t from 'tap';
import { restoreDatabase } from '../../../../src/store/sqlite/restore-database.ts';
import { copyEmptyStore } from '../../../harness/small-store.ts';

t.test('a restore that is cut off before its last step leaves the data in its place', async (t) => {
  const folder = t.testdir();
  const file = join(folder, 'postroom.db');
  const backup = join(folder, 'backup.zst');
  await copyEmptyStore(file);
  const before = readFileSync(file);
  writeFileSync(backup, zstdCompressSync(before));
  // The index cannot be removed.
  mkdirSync(`${file}-words`);
  await t.rejects(restoreDatabase(file, backup, { replace: true, now: 1_000 }), { code: 'ERR_FS_EISDIR' });
  t.ok(before.equals(readFileSync(file)));
});

t.test('each of two restores in one second keeps the data that was there', async (t) => {
  const folder = t.testdir();
  const file = join(folder, 'postroom.db');
  const backup = join(folder, 'backup.zst');
  await copyEmptyStore(file);
  const first = readFileSync(file);
  writeFileSync(backup, zstdCompressSync(first));
  const kept = [];
  for (const now of [1_000, 1_400]) kept.push((await restoreDatabase(file, backup, { replace: true, now })).kept ?? '');
  t.not(kept[0], kept[1]);
  t.ok(first.equals(readFileSync(kept[0] ?? '')));
});
