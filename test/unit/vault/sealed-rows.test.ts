/** What is done to the rows of the vault by someone who writes to the data file, and what comes of it. */

import Database from 'better-sqlite3';
import t, { type Test } from 'tap';
import { ApiError } from '../../../src/kernel/errors.ts';
import { insertGrant } from '../../../src/store/vault/secret-grants.ts';
import { findGrantedSecret, type SecretHead } from '../../../src/store/vault/secrets.ts';
import { ofSqlite } from '../../harness/postgres/test-location.ts';
import { openSmallVault } from './small-vault.ts';

const test = ofSqlite(t, 'writes to the data file');
const VALUE = { username: 'ann', password: 'hunter2hunter2' };

const setUp = async (t: Test) => {
  const small = await openSmallVault(t);
  const { store, workspaceId, agentId } = small;
  const vault = await small.openVault();
  const add = (name: string, value: Record<string, string> = VALUE) =>
    store.write(async (tx) => {
      const secret = await vault.add(tx, { workspaceId, name, type: 'login', tags: ['one', 'two'], value });
      await insertGrant(tx, agentId, secret.id, Date.now());
      return secret;
    });
  /** The value, the code that opening it is refused with, or `gone`. */
  const opened = async ({ id }: Pick<SecretHead, 'id'>): Promise<unknown> => {
    const secret = await findGrantedSecret(store.read, workspaceId, agentId, id);
    if (!secret) return 'gone';
    try {
      return await vault.open(store.read, secret);
    } catch (error) {
      return error instanceof ApiError ? error.code : String(error);
    }
  };
  const data = new Database(small.file);
  data.pragma('foreign_keys = OFF');
  t.teardown(() => data.close());
  return { ...small, vault, add, opened, data };
};

test('a flipped bit anywhere in a sealed row is an error, never another value', async (t) => {
  const { add, opened, data } = await setUp(t);
  const secret = await add('Shop');
  t.same(await opened(secret), VALUE);
  const row = () => data.prepare('select rowid as n, * from secrets').get() as Record<string, Buffer | string | number>;
  const before = row();
  const set = (column: string, value: unknown) => data.prepare(`update secrets set ${column} = ?`).run(value);
  let flips = 0;
  for (const [column, value] of Object.entries(before)) {
    if (column === 'n') continue;
    const bytes = Buffer.isBuffer(value) ? value : Buffer.from(String(value));
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const text = flipped.toString();
      // SQLite keeps no other text than UTF-8, and no other number than this.
      if (typeof value === 'number' && !/^[0-9]{1,15}$/.test(text)) continue;
      if (typeof value === 'string' && Buffer.from(text).compare(flipped) !== 0) continue;
      const stored = Buffer.isBuffer(value) ? flipped : typeof value === 'number' ? Number(text) : text;
      if (stored === value || (column === 'has_totp' && Number(stored) > 1)) continue;
      set(column, stored);
      // A row of another id, or of another workspace, is not found.
      const outcome = await opened(secret).catch((error: unknown) => String(error));
      if (!['secret_unreadable', 'gone'].includes(String(outcome))) t.fail(`${column} bit ${bit}: ${outcome}`);
      flips += 1;
    }
    set(column, value);
  }
  t.ok(flips > 1_000, `${flips} flips`);
  t.same(await opened(secret), VALUE, 'as it was');
});

test('a value that was moved to another row, workspace or version does not open', async (t) => {
  const { add, opened, data, store, vault } = await setUp(t);
  const [one, two] = [await add('One'), await add('Two', { username: 'bob', password: 'another password' })];
  const sealed = data.prepare('select id, sealed, version, has_totp, updated_at from secrets order by name').all() as {
    id: Buffer;
    sealed: Buffer;
  }[];
  const put = (id: Buffer | undefined, bytes: Buffer | undefined) =>
    data.prepare('update secrets set sealed = ? where id = ?').run(bytes, id);
  put(sealed[0]?.id, sealed[1]?.sealed);
  t.equal(await opened(one), 'secret_unreadable', "another row's value");
  put(sealed[0]?.id, sealed[0]?.sealed);
  t.same(await opened(one), VALUE);

  const old = data.prepare('select * from secrets where name = ?').get('One') as Record<string, unknown>;
  const oldVersion = data.prepare('select * from secret_versions where secret_id = ?').get(old.id) as Record<
    string,
    unknown
  >;
  await store.write((tx) => vault.change(tx, one, { value: { username: 'ann', password: 'a newer password' } }));
  t.same(await opened(one), { username: 'ann', password: 'a newer password' });
  const restore = (table: string, row: Record<string, unknown>) =>
    data
      .prepare(`insert or replace into ${table} (${Object.keys(row)}) values (${Object.keys(row).map(() => '?')})`)
      .run(...Object.values(row));
  restore('secrets', old);
  t.equal(await opened(one), 'secret_unreadable', 'an older row that was put back');
  data.prepare('update secret_versions set version = 1 where secret_id = ?').run(old.id);
  t.equal(await opened(one), 'secret_unreadable', 'nor with its version set back');
  restore('secret_versions', oldVersion);
  t.same(await opened(one), VALUE, 'both rows of an older copy do open: this is not defended, and documented');

  await store.write((tx) => vault.remove(tx, two));
  restore('secrets', { ...old, id: sealed[1]?.id, name: 'Two', name_key: 'two', sealed: sealed[1]?.sealed });
  data
    .prepare('insert into secret_grants select agent_id, ?, created_at, with_seed from secret_grants')
    .run(sealed[1]?.id);
  t.equal(await opened(two), 'secret_unreadable', 'a removed secret that was put back');
});

test('damaged keys and fingerprints are errors', async (t) => {
  const { add, opened, data, leak } = await (async () => {
    const set = await setUp(t);
    return { ...set, leak: () => set.vault.leakGuard.find(set.store.read, set.workspaceId) };
  })();
  t.same(await leak(), { kind: 'none' });
  const secret = await add('Shop');
  t.equal((await leak()).kind, 'index');
  const flip = (table: string, column: string, where: string) => {
    const at = data.prepare(`select ${column} as bytes from ${table} where ${where}`).get() as { bytes: Buffer };
    const bytes = Buffer.from(at.bytes);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    data.prepare(`update ${table} set ${column} = ? where ${where}`).run(bytes);
    return () => data.prepare(`update ${table} set ${column} = ? where ${where}`).run(at.bytes);
  };
  const undo = flip('vault_keys', 'wrapped', "name <> 'instance'");
  t.equal(await opened(secret), 'secret_unreadable', "the workspace's key");
  undo();
  const undoId = flip('vault_keys', 'master_id', "name <> 'instance'");
  t.equal(await opened(secret), 'vault_unavailable', 'the name of the key that wraps it');
  undoId();
  const undoIndex = flip('leak_indexes', 'sealed', 'true');
  data.exec('update leak_indexes set generation = generation + 1');
  t.same(await leak(), { kind: 'unavailable' }, 'fingerprints');
  data.exec('update leak_indexes set generation = generation - 1');
  undoIndex();
  t.equal((await leak()).kind, 'index');
  data.exec('delete from leak_indexes');
  t.same(await leak(), { kind: 'unavailable' }, 'a deleted row does not switch the guard off');
  t.same(await opened(secret), VALUE);
});
