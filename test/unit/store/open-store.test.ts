import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import t from 'tap';
import { openStore } from '../../../src/store/open-store.ts';
import { findSetting, insertSettingOnce } from '../../../src/store/settings.ts';
import { LockedError, SchemaError } from '../../../src/store/store-errors.ts';

t.test('the lock of a directory lasts from the opening to the closing', async (t) => {
  const directory = t.testdir({});
  const location = { engine: 'sqlite', file: join(directory, 'x.db') } as const;
  const store = await openStore(location, { now: 1, lockIn: directory });
  await t.rejects(openStore(location, { now: 2, lockIn: directory }), LockedError);
  const beside = await openStore(location, { now: 2 });
  await store.write((tx) => insertSettingOnce(tx, 'name', Buffer.from('value')));
  t.equal(String(await findSetting(beside.read, 'name')), 'value', 'without the lock it may be opened beside it');
  await beside.close();
  await store.close();
  await (await openStore(location, { now: 3, lockIn: directory })).close();
});

t.test('a store that does not open leaves nothing locked', async (t) => {
  const directory = t.testdir({});
  const location = { engine: 'sqlite', file: join(directory, 'x.db') } as const;
  await (await openStore(location, { now: 1 })).close();
  const data = new Database(location.file);
  data.exec("insert into migrations (name, applied_at) values ('9999-newer', 1)");
  await t.rejects(openStore(location, { now: 2, lockIn: directory }), SchemaError);
  await t.rejects(openStore(location, { now: 2, lockIn: directory }), SchemaError, 'and not a LockedError');
  data.exec("update migrations set additive = 1 where name = '9999-newer'");
  data.close();
  await (await openStore(location, { now: 3, lockIn: directory })).close();
});

t.test('a closed store leaves one whole file, whatever was asked of it', async (t) => {
  const directory = t.testdir({});
  const store = await openStore({ engine: 'sqlite', file: join(directory, 'x.db') }, { now: 1 });
  await store.write((tx) => insertSettingOnce(tx, 'name', Buffer.from('value')));
  t.equal(String(await findSetting(store.read, 'name')), 'value');
  await store.close();
  t.same(readdirSync(directory), ['x.db']);
});
