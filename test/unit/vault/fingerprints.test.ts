/** Fingerprints of secrets that an earlier version made, in other forms. */

import t from 'tap';
import { open, seal } from '../../../src/seal/envelope.ts';
import { findLeakIndex, putLeakIndex } from '../../../src/store/vault/leak-indexes.ts';
import { findLeaks } from '../../../src/workers/find-leak.ts';
import { openSmallVault } from './small-vault.ts';

/** Of an entry (src/vault/leak-guard.ts), with the places of its hashes and of the version of its forms. */
const ENTRY_BYTES = 52;
const HASHES = [16, 24] as const;
const FORMS = 32;

t.test('fingerprints of an earlier version are made again', async (t) => {
  const { store, workspaceId, openVault } = await openSmallVault(t);
  const { keys, ...vault } = await openVault();
  const add = (name: string, password: string) =>
    store.write((tx) =>
      vault.add(tx, { workspaceId, name, type: 'login', tags: [], value: { username: 'ann', password } }),
    );
  const secret = await add('Shop', 'hunter2hunter2');

  const stored = await findLeakIndex(store.read, workspaceId);
  const key = await keys.openWorkspaceKey(store.read, workspaceId);
  if (!stored || !key) return t.fail('no fingerprints');
  const context = `leak-index:${workspaceId}:${stored.generation}`;
  const entries = open(key, stored.sealed, context) ?? Buffer.alloc(0);
  for (let at = 0; at < entries.length; at += ENTRY_BYTES) {
    entries.fill(0, at + HASHES[0], at + HASHES[1]);
    entries.writeUInt32LE(1, at + FORMS);
  }
  await store.write((tx) => putLeakIndex(tx, { ...stored, sealed: seal(key, entries, context) }));
  await add('Bank', 'correct horse');

  const found = async (text: string) => {
    const check = await vault.leakGuard.find(store.read, workspaceId);
    if (check.kind !== 'index') return check.kind;
    const matches = await findLeaks(check.index, [{ where: 'text', content: text }]);
    return matches.map(({ secret: number }) => check.secretIds[number]);
  };
  t.same(await found('It is hunter2hunter2.'), [], 'the forms of the earlier version are not searched for');
  t.same(await vault.leakGuard.listOutdated(store.read, workspaceId), [secret.id]);
  await vault.renewFingerprints(store);
  t.same(await found('It is hunter2hunter2.'), [secret.id]);
  t.same(await vault.leakGuard.listOutdated(store.read, workspaceId), []);
});
