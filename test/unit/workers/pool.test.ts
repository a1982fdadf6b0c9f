import t from 'tap';
import { WORKER_LIMITS, type WorkerLimits } from '../../../src/workers/limits.ts';
import { createWorkerPool, type WorkerPool } from '../../../src/workers/pool.ts';
import { PoolBusy } from '../../../src/workers/pool-busy.ts';
import type { ExamineTask } from '../../../src/workers/tasks.ts';
import { startDns, type TestDns } from '../../harness/dns.ts';
import { eventually } from '../../harness/send-mail.ts';

const mailFrom = (domain: string, text = 'Hello.'): ExamineTask => ({
  kind: 'examine',
  raw: Buffer.from(`From: carol@${domain}\r\nSubject: A question\r\n\r\n${text}\r\n`),
  hostname: 'mx.box.test',
  asReport: false,
  envelope: {
    mailFrom: `carol@${domain}`,
    soleRecipient: null,
    ip: '192.0.2.1',
    helo: 'mail.remote.test',
    reverseName: null,
    protocol: 'ESMTP',
    tls: null,
    sessionId: 'abc',
    at: Date.UTC(2026, 10, 16),
  },
});

const local = (text: string): ExamineTask => ({
  ...mailFrom('remote.test', text),
  envelope: { local: { mailFrom: 'a@remote.test', soleRecipient: 'b@box.test', at: 0, fromDomain: 'remote.test' } },
});

interface Bench extends AsyncDisposable {
  pool: WorkerPool;
  dns: TestDns;
  errors: unknown[];
}

/** One thread, and a DNS server that does not answer for `silent.test`. */
const startPool = async (limits: Partial<WorkerLimits>): Promise<Bench> => {
  const dns = await startDns({});
  const errors: unknown[] = [];
  const settings = { threads: 1, resolvers: [dns.server] };
  const pool = createWorkerPool(settings, (error) => errors.push(error), { ...WORKER_LIMITS, ...limits });
  // The thread has started once it has answered.
  await eventually(() =>
    pool.run(local('Hello.')).then(
      () => true,
      () => false,
    ),
  );
  const close = async () => {
    await pool.close();
    await dns.close();
  };
  return { pool, dns, errors, [Symbol.asyncDispose]: close };
};

const names = ['one.test', 'two.test', 'three.test', 'four.test'];

t.test('a thread that waits for DNS does other mail meanwhile', async (t) => {
  await using bench = await startPool({ tasksPerThread: 3 });
  for (const name of names) bench.dns.zone.fail(name, 'silent');
  const running = names.map((name) => bench.pool.run(mailFrom(name)).catch((error: unknown) => error));
  const asked = () => names.filter((name) => bench.dns.queries.some((query) => query.name === name));
  await eventually(async () => asked().length === 3, 3_000);
  t.equal(bench.pool.waiting, 1, 'the fourth waits');
  for (const name of names) bench.dns.zone.fail(name, null);
  await bench.pool.close();
  t.ok((await Promise.all(running)).at(-1) instanceof PoolBusy, 'that the pool ends is nothing that a mail did');
});

t.test('what finds no room hears so, and not that it failed', async (t) => {
  await using bench = await startPool({ tasksPerThread: 1, waiting: 1, waitMs: 300 });
  bench.dns.zone.fail('one.test', 'silent');
  const first = bench.pool.run(mailFrom('one.test')).catch((error: unknown) => error);
  const second = bench.pool.run(mailFrom('two.test'));
  await t.rejects(bench.pool.run(mailFrom('three.test')), { code: 'overloaded' }, 'the queue is full');
  await t.rejects(second, { code: 'overloaded' }, 'no thread in time');
  t.same(bench.errors, [], 'neither is a fault');
  t.match(await first, { subject: 'A question' }, 'who was in hand is done');
});

t.test('a task that outlasts its time is tried twice, and takes nothing else along', async (t) => {
  await using bench = await startPool({ taskMs: 1_000 });
  bench.dns.zone.fail('one.test', 'silent');
  const slow = bench.pool.run(mailFrom('one.test')).then(
    () => 'done',
    (error: unknown) => error,
  );
  const quick = bench.pool.run(mailFrom('two.test'));
  t.match(await quick, { subject: 'A question' });
  const failed = await slow;
  t.ok(failed instanceof Error && !(failed instanceof PoolBusy));
  t.equal(bench.errors.length, 1, 'the first attempt is told');
  t.match(await bench.pool.run(local('Again.')), { text: /Again/ }, 'the threads go on');
});

t.test('large mails keep to a thread of their own', async (t) => {
  await using bench = await startPool({ tasksPerThread: 1, largeOctets: 1_000 });
  bench.dns.zone.fail('one.test', 'silent');
  const waiting = bench.pool.run(mailFrom('one.test'));
  t.match(await bench.pool.run(local('Large. '.repeat(1_000))), { text: /Large/ }, 'it waits for no small one');
  bench.dns.zone.fail('one.test', null);
  await waiting;
});
