import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { createThreadPool } from '../../../../src/store/search/thread-pool.ts';

/** A thread that starts only where it may. */
const WORKER = `import { workerData } from 'node:worker_threads';
  if (workerData[0] === 0) throw new Error('Out of memory');
  export default (job) => job;`;

t.test('a thread that cannot start fails the jobs that wait for it, and nothing else', async (t) => {
  const may = new Int32Array(new SharedArrayBuffer(4));
  const worker = pathToFileURL(join(t.testdir({ 'worker.mjs': WORKER }), 'worker.mjs'));
  const pool = createThreadPool<string>(worker, may, { most: 2, idleMs: 10_000 });
  t.teardown(pool.close);
  for (const _round of [1, 2]) {
    const jobs = await Promise.allSettled(['one', 'two', 'three'].map((job) => pool.run(job)));
    t.match(jobs, Array(3).fill({ status: 'rejected', reason: { name: 'ThreadError', message: 'Out of memory' } }));
  }
  may[0] = 1;
  t.equal(await pool.run('four'), 'four', 'the next job begins anew');
});
