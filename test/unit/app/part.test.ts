import t from 'tap';
import { createStages, type Part } from '../../../src/app/part.ts';

const log = { info: () => {}, warn: () => {}, error: () => {} };

t.test('a box that is stopped as it begins to lead ends what it has begun, before its store closes', async (t) => {
  const done: string[] = [];
  const begun = Promise.withResolvers<void>();
  const going = Promise.withResolvers<void>();
  const part = (name: string, start?: () => Promise<void>): Part => ({
    start: async () => {
      await start?.();
      done.push(`${name} started`);
    },
    stop: () => void done.push(`${name} stopped`),
  });
  const slow = part('queue', () => {
    begun.resolve();
    return going.promise;
  });
  const led = Promise.withResolvers<void>();
  const leading = { parts: [slow, part('jobs')], store: { led: led.promise }, succession: undefined, log };
  const stages = createStages([[part('store')], [part('http')]], leading);
  await stages.start();
  led.resolve();
  await begun.promise;
  const stopped = stages.stop();
  going.resolve();
  await stopped;
  t.same(done.slice(0, 2), ['store started', 'http started']);
  t.ok(done.indexOf('queue started') < done.indexOf('queue stopped'));
  t.equal(done.at(-1), 'store stopped');
  t.notOk(done.includes('jobs started'));
});
