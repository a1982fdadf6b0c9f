import { createSecretKey, randomBytes } from 'node:crypto';
import Database from 'better-sqlite3';
import t, { type Test } from 'tap';
import { createActivityLog } from '../../../src/activity/activity-log.ts';
import { type ChainKey, rowHash } from '../../../src/activity/chain.ts';
import { verifyActivity } from '../../../src/activity/verify-activity.ts';
import { DAY } from '../../../src/kernel/clock.ts';
import type { Id } from '../../../src/kernel/ids.ts';
import { listActivity } from '../../../src/store/activity/activity-log.ts';
import { ofSqlite } from '../../harness/postgres/test-location.ts';
import { openSmallStore } from '../../harness/small-store.ts';

const testOfFile = ofSqlite(t, 'writes to the data file');
const NOW = Date.UTC(2026, 10, 21);
const KEY = createSecretKey(randomBytes(32));

/** A log of ten acts, each a day after the last, and what an intruder with the data file alone can do to it. */
const openLog = async (t: Test, keyOf: (n: number) => ChainKey = () => KEY) => {
  const clock = { at: NOW, now: () => clock.at };
  const { store, file, newId, workspaceId } = await openSmallStore(t, clock);
  for (let n = 1; n <= 10; n += 1) {
    const log = createActivityLog({ clock, newId }, keyOf(n));
    const act = { workspaceId, actor: 'ann', subject: `subject ${n}`, via: 'REST', detail: { n } } as const;
    await store.write((tx) => log.record(tx, { ...act, action: 'rule.add' }));
    clock.at += DAY;
  }
  /** Past the triggers, which hold for the product alone. */
  const intrude = (work: (data: Database.Database) => void) => {
    const data = new Database(file);
    for (const { name } of data.prepare("select name from sqlite_master where type = 'trigger'").all() as {
      name: string;
    }[]) {
      data.exec(`drop trigger ${name}`);
    }
    work(data);
    data.close();
  };
  const log = createActivityLog({ clock, newId }, KEY);
  return { store, file, clock, log, intrude, verify: (key: ChainKey = KEY) => verifyActivity(store.read, key) };
};

t.test('a log that was only appended to is whole, each act once', async (t) => {
  const { store, verify } = await openLog(t);
  t.match(await verify(), { ok: true, rows: 10, withoutMac: 0, hasKey: true, head: { seq: 10 } });
  t.match(await verify(null), { ok: true, rows: 10, hasKey: false });
  const acts = await listActivity(store.read, null, null, 100);
  t.same(
    acts.map(({ subject }) => subject),
    Array.from({ length: 10 }, (_, n) => `subject ${10 - n}`),
    'units that ran twice left no second row',
  );
});

testOfFile('what was altered, removed, moved, added or cut off shows, without the key as well', async (t) => {
  const cases: [name: string, sql: string, faults: object[]][] = [
    ['altered actor', "update activity set actor = 'bob' where seq = 4", [{ seq: 4, fault: 'altered' }]],
    ['altered time', 'update activity set at = at + 1 where seq = 1', [{ seq: 1, fault: 'altered' }]],
    ['altered detail', "update activity set detail = '{}' where seq = 10", [{ seq: 10, fault: 'altered' }]],
    ['other workspace', 'update activity set workspace_id = null where seq = 2', [{ seq: 2, fault: 'altered' }]],
    ['removed', 'delete from activity where seq = 5', [{ seq: 5, fault: 'missing' }, { seq: 6 }]],
    [
      'moved',
      'update activity set seq = 100 where seq = 3; update activity set seq = 3 where seq = 4; ' +
        'update activity set seq = 4 where seq = 100',
      [{ seq: 3, fault: 'altered' }, { seq: 4 }, { seq: 5 }],
    ],
    ['cut off', 'delete from activity where seq > 8', [{ seq: 9, fault: 'truncated' }]],
    ['oldest removed', 'delete from activity where seq < 3', [{ seq: 1, fault: 'missing' }, { seq: 3 }]],
    [
      'added',
      "insert into activity select 11, randomblob(16), workspace_id, at, 'eve', action, subject, via, detail, hash, mac " +
        'from activity where seq = 10',
      [{ seq: 11, fault: 'unexpected' }],
    ],
    [
      'two texts that meet elsewhere',
      "update activity set actor = 'an', subject = 'n' || subject where seq = 7",
      [{ seq: 7, fault: 'altered' }],
    ],
  ];
  for (const [name, sql, faults] of cases) {
    await t.test(name, async (t) => {
      const { intrude, verify } = await openLog(t);
      intrude((data) => data.exec(sql));
      for (const key of [KEY, null]) t.match(await verify(key), { ok: false, faults }, name);
    });
  }
});

testOfFile('a chain that was made anew without the key shows by its MACs', async (t) => {
  /** Makes the chain anew from row `from` on, as the product computes it, and moves the head. */
  const rechain = (data: Database.Database, from: number) => {
    const rows = data.prepare('select * from activity order by seq').all() as Record<string, never>[];
    let previous: Buffer = Buffer.alloc(32);
    for (const row of rows) {
      const { seq, at, actor, action, subject, via, detail } = row as never as Parameters<typeof rowHash>[1];
      const uuid = (blob: Buffer) =>
        blob.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') as Id<never>;
      const [id, workspaceId] = [uuid(row.id as never), uuid(row.workspace_id as never)];
      const hash = rowHash(previous, { seq, id, workspaceId, at, actor, action, subject, via, detail });
      if (seq >= from) data.prepare('update activity set hash = ? where seq = ?').run(hash, seq);
      previous = hash;
    }
    data.prepare('update activity_head set hash = ?').run(previous);
  };
  const forge = (data: Database.Database) => {
    data.exec("update activity set actor = 'bob' where seq = 4");
    rechain(data, 4);
  };
  await t.test('MACs as they were', async (t) => {
    const { intrude, verify } = await openLog(t);
    intrude(forge);
    t.match(await verify(null), { ok: true }, 'hashes alone can be made by whoever writes to the file');
    t.match(await verify(), { ok: false, faults: { 0: { seq: 4, fault: 'wrong_mac' } } });
  });
  await t.test('MACs removed', async (t) => {
    const { intrude, verify } = await openLog(t);
    intrude((data) => {
      forge(data);
      data.exec('update activity set mac = null where seq >= 4');
    });
    t.match(await verify(), { ok: false, withoutMac: 7, faults: [{ seq: null, fault: 'wrong_head' }] });
  });
  await t.test('cut off, with the head moved back', async (t) => {
    const { intrude, verify } = await openLog(t);
    intrude((data) => {
      data.exec('delete from activity where seq > 6');
      data.exec('update activity_head set seq = 6, hash = (select hash from activity where seq = 6)');
    });
    t.match(await verify(), { ok: false, faults: [{ seq: null, fault: 'wrong_head' }] });
    intrude((data) => data.exec('update activity_head set mac = null'));
    t.match(await verify(), { ok: false, faults: [{ seq: null, fault: 'wrong_head' }] });
  });
  await t.test('the oldest removed as if by retention', async (t) => {
    const { intrude, verify } = await openLog(t);
    intrude((data) => {
      data.exec('update activity_head set purged_seq = 3, purged_hash = (select hash from activity where seq = 3)');
      data.exec('delete from activity where seq <= 3');
    });
    t.match(await verify(), { ok: false, faults: [{ seq: null, fault: 'wrong_head' }] });
  });
});

t.test('rows written while the key is missing are chained, and told', async (t) => {
  const { verify, log, store, clock } = await openLog(t, (n) => (n > 4 && n < 7 ? null : KEY));
  t.match(await verify(), { ok: true, rows: 10, withoutMac: 2 });
  await t.test('all of them', async (t) => {
    const { verify } = await openLog(t, () => null);
    t.match(await verify(), { ok: true, rows: 10, withoutMac: 10 });
  });
  const keyless = createActivityLog({ clock, newId: () => '' as never }, null);
  await keyless.purge(store, 5);
  t.match(await verify(), { rows: 10 }, 'without the key the head stays as it is');
  await log.purge(store, 5);
  t.match(await verify(), { ok: true, rows: 5 });
});

t.test('retention removes from the beginning on; what is left is verified', async (t) => {
  const { verify, log, store, clock } = await openLog(t);
  await log.purge(store, 3);
  t.match(await verify(), { ok: true, rows: 3, head: { seq: 10 } });
  await log.purge(store, 3);
  t.match(await verify(), { ok: true, rows: 3 });
  clock.at += 365 * DAY;
  await log.purge(store, 3);
  t.match(await verify(), { ok: true, rows: 0, head: { seq: 10 } });
  await store.write((tx) => log.recordOwn(tx, 'workspace.pause', { workspaceId: null, subject: 'w' }));
  t.match(await verify(), { ok: true, rows: 1, head: { seq: 11 } });
});

testOfFile('the data file refuses what is not appended', async (t) => {
  const { file, verify } = await openLog(t);
  const data = new Database(file);
  for (const sql of [
    "update activity set actor = 'bob'",
    'delete from activity',
    'delete from activity where seq = 10',
    'delete from activity_head',
    'update activity_head set seq = 3',
    'update activity_head set purged_seq = 11',
    'insert into activity select 12, randomblob(16), null, 0, actor, action, subject, via, detail, hash, mac from activity limit 1',
    'insert or replace into activity select 10, randomblob(16), null, 0, actor, action, subject, via, detail, hash, mac from activity limit 1',
  ]) {
    t.throws(() => data.exec(sql), /activity log/, sql);
  }
  data.close();
  t.match(await verify(), { ok: true, rows: 10 });
});

t.test('names and details of any kind read back as they were hashed', async (t) => {
  const { store, log, verify } = await openLog(t);
  for (const text of ['nul \0 here', 'half \ud800 of a pair', 'x'.repeat(10_000), '\u202etxt.exe']) {
    const detail = { text };
    await store.write((tx) => log.recordOwn(tx, 'rule.add', { workspaceId: null, subject: text, detail }));
  }
  t.match(await verify(), { ok: true, rows: 14 });
  const [newest] = await listActivity(store.read, null, 14, 1);
  t.same([newest?.subject.length, newest?.detail], [320, '{"too_long":10011}']);
});

testOfFile('a log that is cut off without the key is not made whole by the next act', async (t) => {
  const cut = (data: Database.Database, seq: number) => {
    data.exec(`delete from activity where seq > ${seq}`);
    data.exec(
      `update activity_head set seq = ${seq}, mac = null, hash = (select hash from activity where seq = ${seq})`,
    );
  };
  const cases: [name: string, intrusion: (data: Database.Database) => void][] = [
    ['the newest rows', (data) => cut(data, 6)],
    [
      'the oldest rows',
      (data) => {
        data.exec('update activity_head set purged_seq = 3, mac = null');
        data.exec('update activity_head set purged_hash = (select hash from activity where seq = 3)');
        data.exec('delete from activity where seq <= 3');
      },
    ],
    [
      'all rows',
      (data) => {
        data.exec('update activity_head set purged_seq = seq, purged_hash = hash, mac = null');
        data.exec('delete from activity');
      },
    ],
    [
      'all rows, with the head put back to the beginning of another log',
      (data) => {
        data.exec('delete from activity');
        data.exec('update activity_head set purged_seq = 4, seq = 4, purged_hash = hash, mac = randomblob(32)');
      },
    ],
  ];
  for (const [name, intrusion] of cases) {
    await t.test(name, async (t) => {
      const { store, log, intrude, verify } = await openLog(t);
      intrude(intrusion);
      t.match(await verify(), { ok: false, faults: [{ seq: null, fault: 'wrong_head' }] }, 'at once');
      for (const subject of ['next', 'one more']) {
        const act = { workspaceId: null, actor: 'ann', action: 'rule.add', subject, via: 'REST' } as const;
        await store.write((tx) => log.record(tx, act));
      }
      const verdict = await verify();
      t.match(verdict, { ok: false, faults: [{ fault: 'tampered' }] }, 'after the next acts');
      t.equal(verdict.faults.length, 1, 'told once');
    });
  }
});
