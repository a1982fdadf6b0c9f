import { deflateSync, zstdCompressSync } from 'node:zlib';
import t from 'tap';
import type { Address } from '../../../src/kernel/address.ts';
import { HOUR, steadyClock } from '../../../src/kernel/clock.ts';
import { WORKER_LIMITS, type WorkerLimits } from '../../../src/workers/limits.ts';
import { PoolBusy } from '../../../src/workers/pool-busy.ts';
import { readInTime } from '../../../src/workers/reading/read-in-time.ts';
import type { Task } from '../../../src/workers/tasks.ts';
import { createWorkerPool, type WorkerPool } from '../../../src/workers/worker-pool.ts';
import { makeBudget } from '../../harness/budget.ts';
import { rounds } from '../../harness/long-form.ts';
import { startDns, type TestDns } from '../../harness/net/dns.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

const mailFrom = (domain: string, text = 'Hello.'): Task<'verify'> => ({
  kind: 'verify',
  headerOnly: false,
  raw: Buffer.from(`From: carol@${domain}\r\nSubject: A question\r\n\r\n${text}\r\n`),
  hostname: 'mx.box.test',
  asReport: false,
  envelope: {
    kind: 'smtp',
    mailFrom: `carol@${domain}`,
    soleRecipient: null,
    ip: '192.0.2.1',
    helo: 'mail.remote.test',
    iprevName: null,
    protocol: 'ESMTP',
    tls: null,
    sessionId: 'abc',
    at: Date.UTC(2026, 10, 16),
  },
});

const local = (text: string): Task<'verify'> => ({
  ...mailFrom('remote.test', text),
  envelope: { kind: 'local', mailFrom: 'a@remote.test', soleRecipient: 'b@box.test', at: 0, fromDomain: 'remote.test' },
});

interface Bench extends AsyncDisposable {
  pool: WorkerPool;
  dns: TestDns;
  errors: unknown[];
}

/** One thread, and a DNS server that does not answer for `silent.test`. */
const startPool = async (limits: Partial<WorkerLimits>, keys = ''): Promise<Bench> => {
  const dns = await startDns({});
  const errors: unknown[] = [];
  const settings = { threads: 1, resolvers: [dns.server] };
  const { workerQueue } = makeBudget(keys).budget;
  const onError = (error: unknown) => void errors.push(error);
  const pool = createWorkerPool(settings, { workerQueue, onError }, { ...WORKER_LIMITS, ...limits });
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
const askedFor = ({ dns }: Bench, name: string): number => dns.queries.filter((query) => query.name === name).length;

/** Ends each task on a silent domain once it has asked: the pool's clock goes ahead, for a loaded machine is late by its own. */
const endTasksOn = async (bench: Bench, name: string, isOver: () => boolean): Promise<void> => {
  const { now } = steadyClock;
  let [aheadMs, asked] = [0, 0];
  steadyClock.now = () => now() + aheadMs;
  try {
    await eventually(async () => {
      if (askedFor(bench, name) > asked) aheadMs += WORKER_LIMITS.taskMs;
      asked = askedFor(bench, name);
      return isOver();
    });
  } finally {
    steadyClock.now = now;
  }
};
/** A thread that starts meanwhile has time enough. */
const STARTS: Partial<WorkerLimits> = { startMs: HOUR };

/** What becomes of a task. `is` is null until it is over. */
const outcomeOf = (task: Promise<unknown>) => {
  const outcome: { is: string | null; over: Promise<string> } = {
    is: null,
    over: task.then(
      () => 'done',
      (error: Error) => error.name,
    ),
  };
  void outcome.over.then((is) => {
    outcome.is = is;
  });
  return outcome;
};

t.test('a thread that waits for DNS runs other tasks', async (t) => {
  await using bench = await startPool({ tasksPerThread: 3 });
  for (const name of names) bench.dns.zone.fail(name, 'silent');
  let done = 0;
  const running = names.map((name) =>
    bench.pool.run(mailFrom(name)).then(
      () => {
        done += 1;
      },
      (error: unknown) => error,
    ),
  );
  await eventually(async () => names.filter((name) => askedFor(bench, name) > 0).length === 3);
  t.equal(done, 0, 'three are in it at once');
  t.equal(bench.pool.waiting, 1, 'the fourth waits');
  for (const name of names) bench.dns.zone.fail(name, null);
  await bench.pool.close();
  t.ok((await Promise.all(running)).at(-1) instanceof PoolBusy, 'that the pool ends is nothing that a mail did');
});

t.test('a thread with work without a break is no stalled one', async (t) => {
  const stallMs = 500;
  await using bench = await startPool({ stallMs });
  const task = local('A sentence of some words.\r\n'.repeat(300));
  const end = performance.now() + rounds(2, 4) * stallMs;
  const keepBusy = async (): Promise<void> => {
    while (performance.now() < end) await bench.pool.run(task);
  };
  await Promise.all(Array.from({ length: 2 * WORKER_LIMITS.tasksPerThread }, keepBusy));
  t.same(bench.errors, []);
});

t.test('a jump of the machine’s clock ends no task', async (t) => {
  await using bench = await startPool({});
  const [name = ''] = names;
  bench.dns.zone.fail(name, 'silent');
  const verified = bench.pool.run(mailFrom(name));
  await eventually(async () => askedFor(bench, name) > 0);
  const { now } = Date;
  t.teardown(() => {
    Date.now = now;
  });
  Date.now = () => now() + 3_600_000;
  // Its next query is seconds later: the pool has looked at it by then.
  bench.dns.zone.fail(name, null);
  await verified;
  t.same(bench.errors, []);
});

t.test('a task that finds the pool full is refused as busy, not as failed', async (t) => {
  await using bench = await startPool({ tasksPerThread: 1 }, 'tasks_waiting = 1\ntask_wait_seconds = 0.3');
  bench.dns.zone.fail('one.test', 'silent');
  const first = bench.pool.run(mailFrom('one.test')).catch((error: unknown) => error);
  const second = bench.pool.run(mailFrom('two.test'));
  await t.rejects(bench.pool.run(mailFrom('three.test')), { code: 'overloaded' }, 'the queue is full');
  await t.rejects(second, { code: 'overloaded' }, 'no thread in time');
  t.same(bench.errors, [], 'neither is a fault');
  bench.dns.zone.fail('one.test', null);
  t.match(await first, { subject: 'A question' }, 'the task in flight ends');
});

t.test('a task that exceeds its time is tried twice, and fails no other', async (t) => {
  await using bench = await startPool(STARTS);
  bench.dns.zone.fail('one.test', 'silent');
  const slow = outcomeOf(bench.pool.run(mailFrom('one.test')));
  t.match(await bench.pool.run(mailFrom('two.test')), { subject: 'A question' });
  await endTasksOn(bench, 'one.test', () => slow.is !== null);
  t.equal(slow.is, 'ThreadDied');
  t.equal(bench.errors.length, 1, 'the first failure is reported');
  t.match(await bench.pool.run(local('Again.')), { text: /Again/ }, 'the threads go on');
});

t.test(
  'what shares a thread with a mail that breaks it is run again at once, and its network alone from then on',
  async (t) => {
    await using bench = await startPool({ ...STARTS, tasksPerThread: 4 });
    const hostile = { network: '192.0.2.1' };
    const other = { network: '192.0.2.2' };
    for (const name of ['one.test', 'two.test']) bench.dns.zone.fail(name, 'silent');
    const poison = outcomeOf(bench.pool.run(mailFrom('one.test'), hostile));
    const beside = outcomeOf(bench.pool.run(mailFrom('two.test'), other));
    await eventually(async () => askedFor(bench, 'one.test') > 0 && askedFor(bench, 'two.test') > 0);
    await endTasksOn(bench, 'one.test', () => bench.errors.length > 0);
    bench.dns.zone.fail('two.test', null);
    t.equal(await beside.over, 'done');
    t.equal(poison.is, null, 'it does not wait for the mail that broke the thread');
    t.equal(bench.errors.length, 2, 'both were in the thread');
    for (const error of bench.errors as Error[]) {
      t.match(error.message, /^a task took \d+ ms; in it: verify of \d+ octets by network 192\.0\.2\.1 for \d+ ms, /);
    }

    // While the mail that broke the thread is still examined, and after it, no other is given to the threads of all.
    const again = outcomeOf(bench.pool.run(mailFrom('one.test'), hostile));
    for (let round = 0; round < 5; round++) await bench.pool.run(local(`Mail ${round}`), other);
    await endTasksOn(bench, 'one.test', () => poison.is !== null && again.is !== null);
    const later = outcomeOf(bench.pool.run(mailFrom('one.test'), hostile));
    await endTasksOn(bench, 'one.test', () => later.is !== null);
    t.same([poison.is, again.is, later.is], ['ThreadDied', 'ThreadDied', 'ThreadDied']);
    t.equal(bench.errors.length, 2, 'the threads of all have not died again');
  },
);

t.test('a thread with a stalled loop is terminated long before the task’s time limit', async (t) => {
  await using bench = await startPool({ stallMs: 400, largeStallMs: 400, largeOctets: 1e9 });
  const address = 'ann@box.test' as Address;
  const draft = {
    from: { name: null, address },
    to: [{ name: null, address }],
    cc: [],
    subject: 'Long',
    // Markdown is rendered in one step, without a look at the loop.
    body: '*some* _words_ and `more` '.repeat(400_000),
    date: Date.UTC(2026, 10, 16),
    messageId: '<a@box.test>',
    inReplyTo: null,
    references: [],
    attachments: [],
  };
  const composed = () =>
    bench.pool.run({ kind: 'compose', draft, pixelUrl: null, leakIndex: null, bcc: [] }, { workspace: 'one' });
  const died = { name: 'ThreadDied', message: /^its loop stood still for / };
  await t.rejects(composed(), died, 'not because of its time');
  const refusal = { code: 'invalid_request', status: 400, hint: /could not be read in time/, cause: died };
  await t.rejects(readInTime(composed()), refusal, 'no fault of the instance to who sent it');
  t.match(await bench.pool.run(local('Again.')), { text: /Again/ });
});

t.test('a thread that holds too much outside its heap is ended: a PDF of 5 KB unpacks to 500 MB', async (t) => {
  await using bench = await startPool({ offHeapMb: 64 });
  const stream = deflateSync(deflateSync(Buffer.alloc(5e8)));
  const octets = Buffer.concat([
    Buffer.from(
      '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n',
    ),
    Buffer.from('3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>endobj\n'),
    Buffer.from(`4 0 obj<</Length ${stream.length}/Filter[/FlateDecode/FlateDecode]>>stream\n`),
    ...[stream, Buffer.from('\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF')],
  ]);
  const file = { octets, filename: 'bomb.pdf', contentType: 'application/pdf' };
  await t.rejects(bench.pool.run({ kind: 'attachment-text', ...file }, { workspace: 'one' }), {
    name: 'ThreadDied',
    message: /^it held \d+ MB outside its heap; in it: attachment-text of \d+ octets by /,
  });
  t.match(await bench.pool.run(local('Again.')), { text: /Again/ });
});

t.test('calls have threads of their own, and mail is scheduled fairly by network', async (t) => {
  await using bench = await startPool({ tasksPerThread: 2 }, 'tasks_waiting_per_party = 3');
  bench.dns.zone.fail('one.test', 'silent');
  const hostile = { network: '192.0.2.1' };
  const mails = Array.from({ length: 4 }, () => bench.pool.run(mailFrom('one.test'), hostile));
  await t.rejects(bench.pool.run(mailFrom('one.test'), hostile), { code: 'overloaded' });
  const mime = zstdCompressSync(Buffer.from('From: carol@remote.test\r\n\r\nHello.\r\n'));
  const read = { kind: 'read', mime, headerOnly: false } as const;
  t.match(await bench.pool.run(read, { workspace: 'one' }), { text: /Hello/ }, 'while mail waits');
  t.match(await bench.pool.run(local('Other.'), { network: '192.0.2.2' }), { text: /Other/ }, 'half is for others');
  bench.dns.zone.fail('one.test', null);
  await Promise.all(mails);
});

t.test('large mails keep to a thread of their own', async (t) => {
  await using bench = await startPool({ tasksPerThread: 1, largeOctets: 1_000 });
  bench.dns.zone.fail('one.test', 'silent');
  const waiting = bench.pool.run(mailFrom('one.test'));
  t.match(await bench.pool.run(local('Large. '.repeat(1_000))), { text: /Large/ }, 'it waits for no small one');
  bench.dns.zone.fail('one.test', null);
  await waiting;
});

t.test('the mails that wait for a thread hold no more than the share of their workspace', async (t) => {
  const keys = 'body_bytes_per_workspace = 40_000_000\nmessage_bytes_per_network = 30_000_000\n';
  await using bench = await startPool({}, keys);
  // Bytes that are of no kind fail in the thread, at once.
  const mime = new Uint8Array(3_000_000);
  const runs = Array.from({ length: 40 }, () => bench.pool.run({ kind: 'raw', mime }, { workspace: 'one' }));
  const ends = await Promise.allSettled(runs);
  const refused = ends.filter(
    ({ status, ...end }) => status === 'rejected' && 'reason' in end && end.reason instanceof PoolBusy,
  );
  t.ok(refused.length >= 40 - 13 - 8, `${refused.length} of 40 were refused`);
  t.ok(refused.length < 40);
});
