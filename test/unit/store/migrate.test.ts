import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { migrations } from '../../../src/store/migrations/index.ts';
import { openConnection } from '../../../src/store/sqlite/connection.ts';
import { migrate, SchemaError } from '../../../src/store/sqlite/migrate.ts';

t.test('a new file gets all of them, once', (t) => {
  const path = join(t.testdir({}), 'x.db');
  const connection = openConnection(path, 'write');
  t.same(
    migrate(connection, 1),
    migrations.map(({ name }) => name),
  );
  t.same(migrate(connection, 2), []);
  t.equal(connection.pragma('synchronous', { simple: true }), 2, 'FULL');
  t.equal(connection.pragma('journal_mode', { simple: true }), 'wal');
  t.same(connection.pragma('foreign_key_check'), []);
  connection.close();
  t.end();
});

t.test('a step forward is taken after a copy, whole or not at all', (t) => {
  const path = join(t.testdir({}), 'x.db');
  const connection = openConnection(path, 'write');
  const first = { name: '0001-a', up: 'create table a (n integer) strict; insert into a values (1);' };
  const good = { name: '0002-b', up: 'create table b (n integer) strict;' };
  const bad = { name: '0003-c', up: 'create table c (n integer) strict; insert into nowhere values (1);' };
  migrate(connection, 1, [first]);
  t.notOk(existsSync(`${path}.before-0001-a`), 'nothing is copied where nothing was before');
  t.throws(() => migrate(connection, 2, [first, good, bad]), /nowhere/);
  const tables = connection.prepare("select name from sqlite_schema where type = 'table' order by name").pluck();
  t.same(tables.all(), ['a', 'migrations'], 'the good step before the bad one is taken back too');
  const copy = openConnection(`${path}.before-0001-a`, 'read');
  t.equal(copy.prepare('select n from a').pluck().get(), 1);
  copy.close();
  t.same(migrate(connection, 3, [first, good]), ['0002-b']);
  t.throws(() => migrate(connection, 4, [first]), SchemaError, 'a file of a newer version is left alone');
  connection.close();
  t.end();
});

t.test('names ascend, so that their order is the order they are applied in', (t) => {
  const names = migrations.map(({ name }) => name);
  t.same(names, [...names].sort());
  t.end();
});
