import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { keepFiles } from '../../../../src/app/tls/kept-files.ts';
import { openTestStore } from '../../../harness/small-store.ts';

const NAME = 'account-ca.test.json';
const LONG_AGO = 1_000_000_000.123;

t.test('of a file and its row, the newer one replaces the other', async (t) => {
  const { store } = await openTestStore(t, { now: 0 });
  const vaultKey = randomBytes(32);
  const folder = join(t.testdir(), 'tls');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, NAME);
  const write = (text: string, at: number): void => {
    writeFileSync(path, text);
    utimesSync(path, at, at);
  };
  const keep = () => keepFiles(folder, { store, vaultKey });

  write('first', LONG_AGO);
  writeFileSync(join(folder, 'other.txt'), 'no file of ACME');
  t.notOk(await keep());
  write('second', LONG_AGO + 1);
  t.notOk(await keep());
  write('first', LONG_AGO);
  t.ok(await keep(), 'as of an older backup of the folder');
  t.equal(readFileSync(path, 'utf8'), 'second');
  t.notOk(await keep(), 'both are the same now');

  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  t.ok(await keep());
  t.same(readdirSync(folder), [NAME]);
  t.equal(statSync(path).mode & 0o777, 0o600);

  t.notOk(await keepFiles(folder, { store, vaultKey: null }));
  rmSync(path);
  t.notOk(await keepFiles(folder, { store, vaultKey: randomBytes(32) }), 'a row of another key is none');
});
