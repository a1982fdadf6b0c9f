import t from 'tap';
import { createWakeLoop } from '../../../src/kernel/wake-loop.ts';

/** A loop whose runs end when the test says so. */
const open = (pauses: (number | null)[] = []) => {
  const runs: PromiseWithResolvers<void>[] = [];
  const errors: unknown[] = [];
  const loop = createWakeLoop(
    async () => {
      const run = Promise.withResolvers<void>();
      runs.push(run);
      await run.promise;
      return pauses.shift() ?? null;
    },
    (error) => {
      errors.push(error);
      return null;
    },
  );
  const end = (index: number) => runs[index]?.resolve();
  return { loop, runs, errors, end };
};

t.test('one run at a time, and one more for all that woke it meanwhile', async (t) => {
  const { loop, runs, end } = open();
  await loop.run();
  t.equal(runs.length, 0, 'none before the start');
  loop.start();
  const woken = [loop.run(), loop.run(), loop.run()];
  t.equal(runs.length, 1);
  end(0);
  await new Promise(setImmediate);
  t.equal(runs.length, 2);
  end(1);
  await Promise.all(woken);
  t.equal(runs.length, 2);
  const next = loop.run();
  end(2);
  await next;
  t.equal(runs.length, 3, 'and again after it was idle');
  await loop.stop();
});

t.test('the pause that a run asks for, or an earlier one', async (t) => {
  const { loop, runs, end } = open([1, 60_000]);
  loop.start();
  end(0);
  while (runs.length < 2) await new Promise(setImmediate);
  end(1);
  await new Promise(setImmediate);
  loop.runWithin(120_000);
  t.equal(runs.length, 2, 'a later one changes nothing');
  loop.runWithin(1);
  while (runs.length < 3) await new Promise(setImmediate);
  const stopped = loop.stop();
  end(2);
  await stopped;
  await loop.run();
  t.equal(runs.length, 3, 'none after the end');
});

t.test('a run that fails is reported, and the loop goes on', async (t) => {
  const { loop, runs, errors, end } = open();
  loop.start();
  runs[0]?.reject(new Error('no'));
  const next = loop.run();
  await new Promise(setImmediate);
  end(1);
  await next;
  t.match(errors, [{ message: 'no' }]);
  await loop.stop();
});
