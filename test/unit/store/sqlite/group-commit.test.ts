import { join } from 'node:path';
import Database from 'better-sqlite3';
import { sql } from 'kysely';
import t from 'tap';
import { createGroupCommit as createGroup, type GroupCommitOptions } from '../../../../src/store/group-commit.ts';
import { openDb } from '../../../../src/store/sqlite/dialect.ts';
import { type Connection, openConnection } from '../../../../src/store/sqlite/open-database.ts';
import { createTransaction } from '../../../../src/store/sqlite/transaction.ts';
import { UnwritableError } from '../../../../src/store/store-errors.ts';

const createGroupCommit = (connection: Connection, options?: GroupCommitOptions) =>
  createGroup(createTransaction(connection), options);

const open = (directory: string) => {
  const connection = openConnection(join(directory, 'x.db'), 'write');
  connection.exec('create table if not exists rows (n integer primary key) strict');
  const insert = connection.prepare('insert into rows (n) values (?)');
  const group = createGroupCommit(connection);
  const count = () => connection.prepare('select count(*) from rows').pluck().get();
  return { connection, insert, group, count };
};

/** Units of work that each have one effect, their name, kept in `effects` once it has happened. */
const withEffects = (group: ReturnType<typeof createGroupCommit>) => {
  const effects: string[] = [];
  const submit = (name: string, work: () => unknown) =>
    group.submit(async (afterCommit) => {
      afterCommit(() => effects.push(name));
      work();
    });
  return { effects, submit };
};

t.test('units that are ready together share a transaction', async (t) => {
  const { connection, insert, group, count } = open(t.testdir({}));
  const inside: boolean[] = [];
  const results = await Promise.all(
    [1, 2, 3].map((n) =>
      group.submit(async () => {
        inside.push(connection.inTransaction);
        insert.run(n);
        return n * 10;
      }),
    ),
  );
  t.same(results, [10, 20, 30]);
  t.same(inside, [true, true, true]);
  t.equal(count(), 3);
  t.equal(connection.inTransaction, false);
  connection.close();
});

t.test('a unit that fails takes back its own work and no other', async (t) => {
  const { connection, insert, group, count } = open(t.testdir({}));
  const { effects, submit } = withEffects(group);
  const outcomes = await Promise.allSettled([
    submit('first', () => insert.run(1)),
    submit('second', () => {
      insert.run(2);
      throw new Error('changed my mind');
    }),
    group.submit(async () => insert.run(3)),
  ]);
  t.same(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  t.equal(count(), 2);
  t.same(effects, ['first'], 'what did not happen has no effects');
  connection.close();
});

t.test('a unit that fails leaves the lock to others before the loop turns', async (t) => {
  const directory = t.testdir({});
  const { connection, group } = open(directory);
  const other = open(directory);
  other.connection.pragma('busy_timeout = 0');
  const failing = group.submit(async () => {
    setImmediate(() => t.doesNotThrow(() => other.insert.run(1)));
    throw new Error('changed my mind');
  });
  await t.rejects(failing, /changed my mind/);
  t.equal(other.count(), 1);
  other.connection.close();
  connection.close();
});

t.test('what a failed unit ran side by side makes no query in the next one', async (t) => {
  const { connection, group, count } = open(t.testdir({}));
  const db = openDb(connection, { mayQuery: () => group.active });
  const insert = async (n: number) => void (await sql`insert into rows (n) values (${n})`.execute(db));
  let strayed: unknown = null;
  const slow = async () => {
    try {
      for (let queries = 0; queries < 20; queries += 1) await sql`select 1`.execute(db);
      await insert(1);
    } catch (error) {
      strayed = error;
      throw error;
    }
  };
  const outcomes = await Promise.allSettled([
    group.submit(() => Promise.all([slow(), Promise.reject(new Error('at once'))])),
    group.submit(async () => {
      for (let n = 2; n < 40; n += 1) await insert(n);
    }),
  ]);
  t.match(outcomes, [{ status: 'rejected', reason: { message: 'at once' } }, { status: 'fulfilled' }]);
  t.match(strayed, { message: /^A query outside of its transaction/ });
  t.equal(count(), 38);
  connection.close();
});

t.test('effects run after the commit and before the promise resolves', async (t) => {
  const { connection, insert, group } = open(t.testdir({}));
  const order: string[] = [];
  await group
    .submit(async (afterCommit) => {
      afterCommit(() => order.push(connection.inTransaction ? 'too early' : 'effect'));
      insert.run(1);
      order.push('work');
    })
    .then(() => order.push('resolved'));
  t.same(order, ['work', 'effect', 'resolved']);
  connection.close();
});

t.test('a commit that fails rejects the unit that caused it, and no other', async (t) => {
  const { connection, insert, group, count } = open(t.testdir({}));
  connection.pragma('foreign_keys = ON');
  connection.exec('create table child (n integer references rows (n) deferrable initially deferred)');
  const child = connection.prepare('insert into child (n) values (99)');
  const { effects, submit } = withEffects(group);
  const outcomes = await Promise.allSettled([
    submit('first', () => insert.run(1)),
    submit('second', () => child.run()),
  ]);
  t.same(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected'],
    'a deferred constraint fails at the commit',
  );
  t.equal(count(), 1);
  t.same(effects, ['first'], 'once, although it ran twice');
  await group.submit(async () => insert.run(7));
  t.equal(count(), 2, 'and the next group goes on');
  connection.close();
});

t.test('a group waits for what is coming, and not for ever', async (t) => {
  const connection = openConnection(join(t.testdir({}), 'x.db'), 'write');
  connection.exec('create table rows (n integer primary key) strict');
  const insert = connection.prepare('insert into rows (n) values (?)');
  let isMoreComing = true;
  const group = createGroupCommit(connection, { isMoreComing: () => isMoreComing });
  await group.submit(async () => insert.run(1));
  isMoreComing = false;
  await group.submit(async () => insert.run(2));
  t.equal(connection.prepare('select count(*) from rows').pluck().get(), 2);
  connection.close();
});

t.test('every nth unit runs twice, and what it did first is rolled back', async (t) => {
  const connection = openConnection(join(t.testdir({}), 'x.db'), 'write');
  connection.exec('create table rows (n integer primary key) strict');
  const insert = connection.prepare('insert into rows (n) values (?)');
  const group = createGroupCommit(connection, { repeatEvery: 2 });
  const runs: number[] = [];
  const effects: number[] = [];
  const unit = (n: number) =>
    group.submit(async (afterCommit) => {
      afterCommit(() => effects.push(n));
      runs.push(n);
      insert.run(n);
    });
  await Promise.all([1, 2, 3, 4].map(unit));
  t.same(runs, [1, 2, 2, 3, 4, 4]);
  t.same(effects, [1, 2, 3, 4]);
  t.same(connection.prepare('select n from rows').pluck().all(), [1, 2, 3, 4]);
  connection.close();
});

t.test('a read that a full disk fails is told as a write is', async (t) => {
  const { connection } = open(t.testdir());
  connection.function('fails', () => {
    throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_SHMSIZE');
  });
  const db = openDb(connection, {});
  t.teardown(() => connection.close());
  await t.rejects(db.selectNoFrom((eb) => eb.fn('fails', []).as('value')).execute(), UnwritableError);
});

t.test('units that take long are committed one after the other, and other work goes on between', async (t) => {
  const { connection, insert, group, count } = open(t.testdir({}));
  const seen: number[][] = [];
  const settled: number[] = [];
  const submit = async (n: number): Promise<void> => {
    await group.submit(async () => {
      seen.push([...settled]);
      insert.run(n);
      const until = performance.now() + 150;
      while (performance.now() < until);
    });
    settled.push(n);
  };
  await Promise.all([1, 2, 3].map(submit));
  t.same(seen, [[], [1], [1, 2]]);
  t.equal(count(), 3);
  connection.close();
});

t.test('beside a daemon, a group waits as long as the one before it took', async (t) => {
  const connection = openConnection(join(t.testdir({}), 'x.db'), 'write');
  const group = createGroupCommit(connection, { givesWay: true });
  const ended = await group.submit(async () => {
    const until = performance.now() + 200;
    while (performance.now() < until);
    return performance.now();
  });
  const begun = await group.submit(async () => performance.now());
  t.ok(begun - ended >= 190, `${begun - ended} ms`);
  connection.close();
});
