import t from 'tap';
import { createSingleFlight } from '../../../src/kernel/single-flight.ts';

t.test('callers of one key share one run, a failure too; the next run begins after it', async (t) => {
  const flight = createSingleFlight<number>();
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let runs = 0;
  const work = () => {
    runs += 1;
    return runs === 1 ? promise : Promise.resolve(runs);
  };
  const both = [flight.run('a', work), flight.run('a', work)];
  const other = flight.run('b', work);
  t.equal(runs, 2);
  t.equal(await other, 2);
  const settled = flight.settled();
  reject(new Error('no'));
  for (const each of await Promise.allSettled(both)) t.match(each, { status: 'rejected', reason: { message: 'no' } });
  await settled;
  t.equal(await flight.run('a', work), 3);
  resolve(0);
});
