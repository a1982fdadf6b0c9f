/** Replacing the master key, interrupted at each of its steps, and beside a process that has the old one. */

import { spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import t, { type Test } from 'tap';
import { HOUR, systemClock } from '../../../src/kernel/clock.ts';
import { readKeyFile } from '../../../src/seal/key-file.ts';
import { insertGrant } from '../../../src/store/vault/secret-grants.ts';
import { findGrantedSecret } from '../../../src/store/vault/secrets.ts';
import { rotateMasterKey } from '../../../src/vault/rotate-key.ts';
import { testLocation } from '../../harness/postgres/test-location.ts';
import { openSmallVault } from './small-vault.ts';

const VALUE = { key: 'sk_live_something' };

const setUp = async (t: Test) => {
  const small = await openSmallVault(t);
  const { store, workspaceId, agentId, keyFile } = small;
  const first = await small.openVault();
  const instanceKey = Buffer.from(first.keys.instanceKey ?? []);
  const secret = await store.write(async (tx) => {
    const added = await first.add(tx, { workspaceId, name: 'S', type: 'api_key', tags: [], value: VALUE });
    await insertGrant(tx, agentId, added.id, Date.now());
    return added;
  });
  const openBy = async (vault: Pick<typeof first, 'open'>) => {
    const found = await findGrantedSecret(store.read, workspaceId, agentId, secret.id);
    if (!found) throw new Error('The secret is gone.');
    return vault.open(store.read, found);
  };
  const rotate = () => rotateMasterKey({ store, clock: systemClock, keyFile }, async (_tx, rotation) => rotation);
  const leftovers = () =>
    readdirSync(dirname(keyFile)).filter((name) => name.startsWith(basename(keyFile)) && name !== basename(keyFile));
  return { ...small, first, instanceKey, openBy, rotate, leftovers };
};

t.test('all keys are wrapped anew; what they seal stays; the old key is kept and opens no more', async (t) => {
  const { keyFile, first, instanceKey, openBy, openVault, openKeys, rotate, leftovers, store } = await setUp(t);
  const old = Buffer.from(readKeyFile(keyFile));
  chmodSync(keyFile, 0o400);
  const { ino } = statSync(keyFile);
  t.match(await rotate(), { keyFile, oldKeyFile: `${keyFile}.old`, keys: 2 });
  t.same(leftovers(), ['vault.key.old']);
  t.not(statSync(keyFile).ino, ino);
  t.same([statSync(keyFile).mode & 0o777, statSync(`${keyFile}.old`).mode & 0o777], [0o400, 0o400]);
  t.same(Buffer.from(readKeyFile(`${keyFile}.old`)), old);
  t.notSame(Buffer.from(readKeyFile(keyFile)), old);
  t.same(await openBy(first), VALUE, 'by the process that had read the old key');
  t.equal(await first.keys.state(store.read), 'open');
  const second = await openVault();
  t.same(Buffer.from(second.keys.instanceKey ?? []), instanceKey);
  t.same(await openBy(second), VALUE, 'by one that starts now');
  await rotate();
  t.same(await openBy(first), VALUE, 'a second time');

  // The old key alone.
  rmSync(`${keyFile}.old`);
  copyFileSync(keyFile, `${keyFile}.kept`);
  rmSync(keyFile);
  writeFileSync(keyFile, old, { mode: 0o600 });
  const wrong = await openKeys();
  t.equal(wrong.instanceKey, null);
  t.equal(await wrong.state(store.read), 'other');
  await t.rejects(rotate(), { code: 'vault_unavailable' });
  renameSync(`${keyFile}.kept`, keyFile);
  t.same(await openBy(await openVault()), VALUE);
});

t.test('a temporary file that a killed rotation has left is removed by a later one', async (t) => {
  const { keyFile, rotate, leftovers } = await setUp(t);
  const [left, fresh] = [`${keyFile}.0123456789ab.tmp`, `${keyFile}.ba9876543210.tmp`];
  for (const path of [left, fresh]) copyFileSync(keyFile, path);
  const before = new Date(Date.now() - 2 * HOUR);
  utimesSync(left, before, before);
  await rotate();
  t.same(leftovers().sort(), [basename(fresh), 'vault.key.old'].sort(), 'one of a rotation at the same time stays');
});

t.test('a process that is killed at any step leaves everything readable, and the next rotation goes on', async (t) => {
  for (const step of ['staged', 'rewrapped', 'kept', 'placed'] as const) {
    await t.test(step, async (t) => {
      const { file, keyFile, first, openBy, openVault, rotate, leftovers } = await setUp(t);
      const script = `
        import { openStore } from ${JSON.stringify(new URL('../../../src/store/open-store.ts', import.meta.url))};
        import { rotateMasterKey } from ${JSON.stringify(new URL('../../../src/vault/rotate-key.ts', import.meta.url))};
        const store = await openStore(${JSON.stringify(await testLocation(file))}, { now: Date.now() });
        const onStep = (step) => { if (step === '${step}') process.kill(process.pid, 'SIGKILL'); };
        await rotateMasterKey({ store, clock: { now: Date.now }, keyFile: ${JSON.stringify(keyFile)}, onStep }, async () => null);
      `;
      const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
      let said = '';
      child.stderr.on('data', (text: Buffer) => {
        said += text.toString();
      });
      const signal = await new Promise((done) => {
        child.once('close', (_code, by) => done(by));
      });
      t.equal(signal, 'SIGKILL', said);
      t.same(await openBy(first), VALUE, 'by the daemon that serves meanwhile');
      const next = await openVault();
      t.ok(next.keys.instanceKey);
      t.same(await openBy(next), VALUE, 'by one that starts now');
      await rotate();
      t.same(leftovers(), step === 'placed' ? ['vault.key.old', 'vault.key.old.1'] : ['vault.key.old']);
      for (const vault of [first, next, await openVault()]) t.same(await openBy(vault), VALUE);
    });
  }
});

t.test('no earlier key is destroyed, nor any other file of such a name', async (t) => {
  const { keyFile, rotate, leftovers, openBy, openVault } = await setUp(t);
  const keyOf = (path: string) => Buffer.from(readKeyFile(path));
  writeFileSync(`${keyFile}.old.2`, 'another thing', { mode: 0o600 });
  const keys = [keyOf(keyFile)];
  for (let count = 0; count < 3; count += 1) {
    await rotate();
    keys.push(keyOf(keyFile));
  }
  t.same(leftovers(), ['vault.key.old', 'vault.key.old.1', 'vault.key.old.2', 'vault.key.old.3']);
  t.same(
    ['.old.1', '.old.3', '.old', ''].map((end) => keyOf(`${keyFile}${end}`)),
    keys,
  );
  t.equal(readFileSync(`${keyFile}.old.2`, 'utf8'), 'another thing');
  t.same(
    (await rotate()).oldKeyFiles,
    ['.old', '.old.1', '.old.2', '.old.3', '.old.4'].map((end) => `${keyFile}${end}`),
  );
  t.same(await openBy(await openVault()), VALUE);
});

t.test('two rotations at once', async (t) => {
  const { first, openBy, openVault, rotate } = await setUp(t);
  await Promise.allSettled([rotate(), rotate(), rotate()]);
  t.same(await openBy(first), VALUE);
  t.same(await openBy(await openVault()), VALUE);
});

t.test('without a key file, and with one that comes later', async (t) => {
  const { keyFile, openVault, openBy, store } = await setUp(t);
  renameSync(keyFile, `${keyFile}.away`);
  const without = await openVault();
  t.equal(without.keys.instanceKey, null);
  t.equal(await without.keys.state(store.read), 'missing');
  await t.rejects(openBy(without), { code: 'vault_unavailable' });
  t.equal(existsSync(keyFile), false);
  renameSync(`${keyFile}.away`, keyFile);
  t.same(await openBy(without), VALUE, 'secrets open again');
  t.equal(await without.keys.state(store.read), 'late');
  chmodSync(keyFile, 0o644);
  // A key that others may read stops the start.
  await t.rejects(openVault(), { fault: 'mode' } as object as Error);
});
