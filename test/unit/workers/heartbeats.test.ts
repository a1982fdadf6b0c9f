import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import t, { type Test } from 'tap';
import { createHeartbeats, findStall, hasStarted } from '../../../src/workers/heartbeats.ts';

const MODULE = JSON.stringify(new URL('../../../src/workers/heartbeats.ts', import.meta.url));
/** Beats once, and then stands still. */
const SILENT = `
  import { threadId, workerData } from 'node:worker_threads';
  import { startHeartbeat } from ${MODULE};
  startHeartbeat(workerData, threadId);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
`;

const startSilent = async (t: Test) => {
  const heartbeats = createHeartbeats();
  const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(SILENT)}`), { workerData: heartbeats });
  t.teardown(() => thread.terminate());
  await once(thread, 'online');
  while (!hasStarted(heartbeats, thread.threadId)) await new Promise((resolve) => setImmediate(resolve));
  return { heartbeats, thread };
};

t.test('a thread that has ended is not stalled', async (t) => {
  const { heartbeats, thread } = await startSilent(t);
  await thread.terminate();
  t.equal(thread.threadId, -1);
  t.equal(hasStarted(heartbeats, thread.threadId), false);
  t.equal(await findStall(heartbeats, thread, 0), null);
});

t.test('nor one that ends while it is asked what it has used', async (t) => {
  const { heartbeats, thread } = await startSilent(t);
  thread.cpuUsage = async () => {
    await thread.terminate();
    throw new Error('ended');
  };
  t.equal(await findStall(heartbeats, thread, 0), null);
});
