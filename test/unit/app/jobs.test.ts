import t from 'tap';
import { createJobs } from '../../../src/app/jobs.ts';

t.test('a job never runs twice at once, and its failure ends no later run', async (t) => {
  let atOnce = 0;
  const most: number[] = [];
  const failed: string[] = [];
  const job = {
    name: 'count',
    pattern: '0 0 1 1 *',
    run: async () => {
      atOnce += 1;
      most.push(atOnce);
      await new Promise(setImmediate);
      atOnce -= 1;
      if (most.length === 1) throw new Error('The first fails');
    },
  };
  const jobs = createJobs([job], (_error, name) => failed.push(name));
  await Promise.all([jobs.runAll(), jobs.runAll(), jobs.runAll()]);
  t.same(most, [1, 1, 1]);
  t.same(failed, ['count']);
  await jobs.stop();
});
