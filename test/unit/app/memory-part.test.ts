import t from 'tap';
import { createMemoryPart } from '../../../src/app/observe/memory-part.ts';

const MIB = 1024 ** 2;

t.test('garbage is collected at rest, and again once memory has grown', async (t) => {
  const now = { utilization: 0.5, resident: 300 * MIB };
  let collected = 0;
  const [job] = createMemoryPart({
    utilization: () => now.utilization,
    resident: () => now.resident,
    collect: () => {
      collected += 1;
      now.resident -= 100 * MIB;
    },
  }).jobs;
  await job?.run();
  t.equal(collected, 0, 'not while the daemon works');
  now.utilization = 0.01;
  await job?.run();
  await job?.run();
  t.equal(collected, 1, 'once at rest');
  now.resident += 15 * MIB;
  await job?.run();
  t.equal(collected, 1);
  now.resident += MIB;
  await job?.run();
  t.equal(collected, 2);
});

t.test('by V8 itself', async (t) => {
  const lost = new WeakRef({ of: 'a load' });
  // A reference lives to the end of its turn of the event loop.
  await new Promise(setImmediate);
  await createMemoryPart({ utilization: () => 0 }).jobs[0]?.run();
  t.equal(lost.deref(), undefined);
});
