import { existsSync, globSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { migrations } from '../../../../src/store/migrations.ts';
import { migrate } from '../../../../src/store/sqlite/migrate.ts';
import { openConnection } from '../../../../src/store/sqlite/open-database.ts';
import { SchemaError } from '../../../../src/store/store-errors.ts';

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
  writeFileSync(`${path}.copying`, 'of a copy that a power cut ended');
  t.throws(() => migrate(connection, 2, [first, good, bad]), /nowhere/);
  const tables = connection.prepare("select name from sqlite_schema where type = 'table' order by name").pluck();
  t.same(tables.all(), ['a', 'migrations'], 'the good step before the bad one is taken back too');
  const copy = openConnection(`${path}.before-0002-b`, 'read');
  t.equal(copy.prepare('select n from a').pluck().get(), 1);
  copy.close();
  t.same(migrate(connection, 3, [first, good]), ['0002-b']);
  writeFileSync(`${path}.before-upgrade`, "the installer's");
  migrate(connection, 3, [first, good, { name: '0003-c', up: 'create table c (n integer) strict;' }]);
  t.same(
    globSync('x.db.*', { cwd: dirname(path) }).sort(),
    ['x.db.before-0003-c', 'x.db.before-upgrade'],
    'the copy of the last step alone',
  );
  t.throws(() => migrate(connection, 4, [first]), SchemaError, 'a file of a newer version is left alone');
  connection.close();
  t.end();
});

t.test('changes of a newer version: additive ones are tolerated, breaking ones refused', (t) => {
  const connection = openConnection(join(t.testdir({}), 'x.db'), 'write');
  const first = { name: '0001-a', up: 'create table a (n integer) strict;' };
  const additive = { name: '0002-b', kind: 'additive', up: 'create table b (n integer) strict;' } as const;
  const breaking = { name: '0003-c', kind: 'breaking', up: 'drop table a;' } as const;
  migrate(connection, 1, [first, additive]);
  t.same(migrate(connection, 2, [first]), []);
  migrate(connection, 4, [first, additive, breaking]);
  t.throws(() => migrate(connection, 5, [first, additive]), { name: 'SchemaError', message: /it has 0003-c\)/ });
  connection.close();
  t.end();
});

t.test('a data file from before the kind of a migration was recorded', (t) => {
  const connection = openConnection(join(t.testdir({}), 'x.db'), 'write');
  connection.exec(`create table migrations (name text primary key, applied_at integer not null) strict;
    insert into migrations values ('0001-a', 1);`);
  t.same(migrate(connection, 2, [{ name: '0001-a', up: 'no' }]), []);
  t.throws(() => migrate(connection, 3, []), SchemaError);
  connection.close();
  t.end();
});

t.test('a delivery of before is due at its next attempt, or when its lease ends', (t) => {
  const connection = openConnection(join(t.testdir({}), 'x.db'), 'write');
  const at = migrations.findIndex(({ name }) => name.endsWith('due-deliveries'));
  migrate(connection, 1, migrations.slice(0, at));
  connection.pragma('foreign_keys = off');
  const insert = connection.prepare(`insert into deliveries
    (id, message_id, mailbox_id, position, address, domain, status, created_at, next_attempt_at, leased_until)
    values (?, ?, ?, 0, 'a@x.test', 'x.test', 'queued', 1, ?, ?)`);
  const id = Buffer.alloc(16);
  for (const [row, next, leased] of [
    [1, 5, 0],
    [2, 5, 9],
    [3, null, 0],
    [4, null, 9],
  ] as const) {
    insert.run(Buffer.alloc(16, row), id, id, next, leased);
  }
  migrate(connection, 2, migrations.slice(0, at + 1));
  t.same(connection.prepare('select due_at from deliveries order by id').pluck().all(), [5, 9, null, null]);
  connection.close();
  t.end();
});

t.test('mail of before is found by the names of its attachments', (t) => {
  const connection = openConnection(join(t.testdir({}), 'x.db'), 'write');
  const at = migrations.findIndex(({ name }) => name.endsWith('attachment-names'));
  migrate(connection, 1, migrations.slice(0, at));
  connection.pragma('foreign_keys = off');
  const columns = connection.pragma('table_info(messages)') as { name: string; type: string; notnull: number }[];
  const empty: Record<string, unknown> = { integer: 0, text: '[]', blob: Buffer.from('id') };
  const row: Record<string, unknown> = Object.fromEntries(
    columns.filter(({ notnull }) => notnull === 1).map(({ name, type }) => [name, empty[type.toLowerCase()]]),
  );
  row.seq = 7;
  row.direction = 'in';
  row.attachments = JSON.stringify([{ filename: 'Quittung-4711.pdf' }, { filename: 'logo.png' }]);
  const names = Object.keys(row);
  connection
    .prepare(`insert into messages (${names.join()}) values (${names.map((name) => `@${name}`).join()})`)
    .run(row);
  const words = "7, 'mb', 'Receipt', 'carol', 'ann', 'See the file.'";
  connection.exec(`insert into message_texts values (${words});
    insert into message_index (rowid, mailbox, subject, sender, recipients, body) values (${words});`);
  migrate(connection, 2, migrations.slice(0, at + 1));
  const find = connection.prepare('select rowid from message_index where message_index match ?').pluck();
  for (const word of ['quittung', '4711', 'logo', 'receipt', 'file']) t.same(find.all(word), [7], word);
  connection.exec("insert into message_index (message_index) values ('integrity-check')");
  connection.close();
  t.end();
});

t.test('what the guard held before has its one reason', (t) => {
  const connection = openConnection(join(t.testdir({}), 'x.db'), 'write');
  const at = migrations.findIndex(({ name }) => name.endsWith('-guarded'));
  migrate(connection, 1, migrations.slice(0, at));
  connection.pragma('foreign_keys = off');
  const insert = connection.prepare(`insert into pending_sends (id, agent_id, mailbox_id, workspace_id, status, reason,
    send_class, to_list, subject, snippet, outgoing, size, created_at, expires_at)
    values (randomblob(16), ?, ?, ?, 'pending', ?, 'cold', '[]', '', '', '{}', 1, 1, 1)`);
  const id = Buffer.alloc(16);
  const reasons = ['agent_on_hold', 'thread_failed_authentication', 'recipient_failed_authentication'];
  for (const reason of reasons) insert.run(id, id, id, reason);
  migrate(connection, 2, migrations.slice(0, at + 1));
  t.same(connection.prepare('select reason from pending_sends order by reason').pluck().all(), [
    'agent_on_hold',
    'guarded',
    'guarded',
  ]);
  connection.close();
  t.end();
});

t.test('names ascend, so that their order is the order they are applied in', (t) => {
  const names = migrations.map(({ name }) => name);
  t.same(names, [...names].sort());
  t.end();
});

t.test('mail and addresses that older versions stored are judged and compared as new ones are', (t) => {
  const connection = openConnection(join(t.testdir({}), 'x.db'), 'write');
  const at = migrations.findIndex(({ name }) => name === '0012-sender-doubts');
  migrate(connection, 1, migrations.slice(0, at));
  connection.pragma('foreign_keys = off');
  const insert = (table: string, row: Record<string, unknown>) => {
    const names = Object.keys(row);
    connection
      .prepare(`insert into ${table} (${names.join()}) values (${names.map(() => '?').join()})`)
      .run(...Object.values(row));
  };
  const instance = Buffer.alloc(16);
  const checks = { spf: 'none', dkim: 'none', dmarc: 'none', from_domain: 'x.test' };
  const inbound: [string, string, object | null][] = [
    ['pass@x.test', 'PASS', { ...checks, dmarc: 'pass' }],
    ['none@x.test', 'UNKNOWN', checks],
    ['aligned@x.test', 'PASS', { ...checks, spf: 'pass' }],
    ['fail@x.test', 'UNKNOWN', { ...checks, dmarc: 'fail' }],
    ['junk@x.test', 'FAIL', checks],
    ['temp@x.test', 'UNKNOWN', { ...checks, dmarc: 'temperror' }],
    ['nobody@x.test', 'UNKNOWN', { ...checks, from_domain: null }],
    ['spf@x.test', 'UNKNOWN', { ...checks, spf: 'temperror' }],
  ];
  for (const [position, [address, verdict, authentication]] of inbound.entries()) {
    insert('messages', {
      id: Buffer.from(address.padEnd(16)),
      mailbox_id: instance,
      thread_id: instance,
      direction: 'in',
      from_address: address.toUpperCase(),
      to_list: '[]',
      cc_list: '[]',
      reply_to: '[]',
      subject: '',
      snippet: '',
      unread: 1,
      archived: 0,
      status: 'received',
      spam_verdict: verdict,
      authentication: authentication && JSON.stringify(authentication),
      reference_ids: '[]',
      automatic: 0,
      attachments: '[]',
      raw_id: 1,
      created_at: position,
    });
    insert('heard_from', { mailbox_id: instance, address });
  }
  const suppressed = [
    '"ann"@x.test',
    '"b\\ob.lee"@x.test',
    '"a b"@x.test',
    '".c"@x.test',
    '"a@b"@x.test',
    '"dan"@x.test',
    '"jörg"@x.test',
    'dan@x.test',
  ];
  for (const address of suppressed)
    insert('suppressions', { workspace_id: instance, address, reason: 'manual', created_at: 1 });
  const rule = { agent_id: instance, action: 'block', created_at: 1 };
  insert('rules', { ...rule, id: Buffer.alloc(16, 1), match: 'exact_email', value: '"ann"@x.test' });
  insert('rules', { ...rule, id: Buffer.alloc(16, 2), match: 'domain', value: 'x.test' });
  migrate(connection, 2, migrations.slice(0, at + 1));
  const list = (sql: string) => connection.prepare(sql).pluck().all();
  t.same(list('select lower(from_address) from messages where doubtful = 1 order by seq'), [
    'fail@x.test',
    'junk@x.test',
    'temp@x.test',
    'nobody@x.test',
    'spf@x.test',
  ]);
  t.same(list('select address from heard_from order by address'), ['aligned@x.test', 'pass@x.test']);
  t.same(list('select address from suppressions order by address'), [
    '".c"@x.test',
    '"a b"@x.test',
    '"a@b"@x.test',
    'ann@x.test',
    'bob.lee@x.test',
    'dan@x.test',
    'jörg@x.test',
  ]);
  t.same(list('select value from rules order by id'), ['ann@x.test', 'x.test']);
  connection.close();
  t.end();
});

t.test('owners are made of the addresses that workspaces have, once each', (t) => {
  const connection = openConnection(join(t.testdir({}), 'x.db'), 'write');
  const at = migrations.findIndex(({ name }) => name === '0022-owners');
  t.ok(at > 0);
  migrate(connection, 1, migrations.slice(0, at));
  const insert = connection.prepare(
    `insert into workspaces (id, name, slug, owner_email, plan, verified_at, created_at, hidden)
     values (randomblob(16), :slug, :slug, :email, 'unlimited', :verified, :created, :hidden)`,
  );
  const add = (slug: string, email: string, verified: number | null, created: number, hidden = 0) =>
    insert.run({ slug, email, verified, created, hidden });
  add('a', 'Ann@Remote.test', null, 3);
  add('b', 'Ann of B <ann@remote.test>', 7, 2);
  add('c', 'carl@remote.test', null, 4);
  add('d', 'no address', null, 5);
  add('own', 'noreply@box.test', 1, 1, 1);
  migrate(connection, 2);
  t.same(connection.prepare('select email, verified_at, created_at from owners order by email').all(), [
    { email: 'ann@remote.test', verified_at: 7, created_at: 2 },
    { email: 'carl@remote.test', verified_at: null, created_at: 4 },
  ]);
  const owned = `select slug, email from workspace_owners join workspaces on workspaces.id = workspace_id
    join owners on owners.id = owner_id order by slug`;
  t.same(connection.prepare(owned).raw().all(), [
    ['a', 'ann@remote.test'],
    ['b', 'ann@remote.test'],
    ['c', 'carl@remote.test'],
  ]);
  t.same(connection.pragma('foreign_key_check'), []);
  connection.close();
  t.end();
});
