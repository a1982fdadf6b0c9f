import t from 'tap';
import { createJobs, systemSchedule } from '../../../src/app/jobs.ts';

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
  const jobs = createJobs([{ jobs: [job] }], systemSchedule, (_error, name) => failed.push(name));
  await Promise.all([jobs.runAll(), jobs.runAll(), jobs.runAll()]);
  t.same(most, [1, 1, 1]);
  t.same(failed, ['count']);
  await jobs.stop();
});

t.test('a job runs at the times of its pattern, until it is stopped', async (t) => {
  const ran = new Promise<void>((resolve) => {
    const job = { name: 'tick', pattern: '* * * * * *', run: async () => resolve() };
    const jobs = createJobs([{ jobs: [job] }], systemSchedule, (error) => t.fail(String(error)));
    t.teardown(() => jobs.stop());
    jobs.start();
  });
  await ran;
});

t.test('what is scheduled is each job by its own pattern, and ended with the jobs', async (t) => {
  const scheduled: string[] = [];
  const ended: string[] = [];
  const jobs = createJobs(
    ['1 * * * *', '2 * * * *'].map((pattern) => ({ jobs: [{ name: pattern, pattern, run: async () => {} }] })),
    (pattern) => {
      scheduled.push(pattern);
      return { stop: () => void ended.push(pattern) };
    },
    () => {},
  );
  t.same(scheduled, [], 'none before the start');
  jobs.start();
  t.same(scheduled, ['1 * * * *', '2 * * * *']);
  await jobs.stop();
  t.same(ended, scheduled);
});
