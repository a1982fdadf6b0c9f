import t from 'tap';
import { createFairQueue, type FairQueueSettings } from '../../../src/budget/fair-queue.ts';
import type { Refusal } from '../../../src/budget/quota-subject.ts';
import { makeBudget } from '../../harness/budget.ts';

const open = (settings: Partial<FairQueueSettings> = {}) => {
  const clock = { at: 0, now: () => clock.at };
  const refused: Refusal[] = [];
  const queue = createFairQueue({
    resource: 'things',
    atOnce: 1,
    atOnceShares: {},
    waiting: 100,
    waitingPerTenant: 100,
    waitMs: 60_000,
    clock,
    onRefused: (refusal) => refused.push(refusal),
    ...settings,
  });
  const order: string[] = [];
  /** Asks for a turn; ends it by the function that is given back. */
  const ask = (workspace: string, name = workspace, octets = 0) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const work = async () => {
      order.push(name);
      await promise;
    };
    const done = queue.run({ workspace }, work, octets);
    done.catch(() => undefined);
    const end = () => {
      resolve();
      return done;
    };
    return { end, done };
  };
  return { queue, clock, order, ask, refused };
};

t.test('the next turn is of the owner that has used the least time', async (t) => {
  const { clock, order, ask } = open();
  const first = ask('heavy', 'heavy 1');
  const more = ['heavy 2', 'heavy 3'].map((name) => ask('heavy', name));
  clock.at += 2_000;
  const light = ask('light');
  const lighter = ask('light', 'light 2');
  await first.end();
  t.same(order, ['heavy 1', 'light']);
  clock.at += 500;
  await light.end();
  t.same(order, ['heavy 1', 'light', 'light 2'], 'as long as it has used less');
  clock.at += 5_000;
  await lighter.end();
  t.same(order.at(-1), 'heavy 2');
  await more[0]?.end();
  const late = ask('late');
  t.same(order.at(-1), 'heavy 3');
  await more[1]?.end();
  await late.end();
});

t.test('shares at once, and what waits behind one does not hold up others', async (t) => {
  const { queue, order, ask } = open({ atOnce: 3, atOnceShares: { workspace: 1 } });
  const one = ask('a', 'a1');
  const two = ask('a', 'a2');
  const three = ask('b');
  await null;
  t.same(order, ['a1', 'b']);
  t.equal(queue.waiting, 1);
  await one.end();
  t.same(order, ['a1', 'b', 'a2']);
  await Promise.all([two.end(), three.end()]);
  t.equal(queue.waiting, 0);
});

t.test('the mail of however many networks leaves a slot of the threads to callers', async (t) => {
  const queue = makeBudget().budget.workerQueue('apart', 2);
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const mails = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((network) => queue.run({ network }, () => end));
  t.equal(queue.waiting, 2);
  t.equal(await queue.run({ workspace: 'a' }, async () => 'composed'), 'composed');
  resolve();
  await Promise.all(mails);
  t.equal(queue.waiting, 0);
});

t.test(
  'with as much mail waiting as may, a network that has none waits too, and the one with the most gives way',
  async (t) => {
    const queue = makeBudget('messages_waiting = 5').budget.workerQueue('mail', 2);
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const taken = (network: string, mails: number) =>
      Array.from({ length: mails }, () =>
        queue
          .run({ network }, () => end)
          .then(
            () => 'checked',
            ({ name }: Error) => name,
          ),
      );
    const mails = [...taken('192.0.2.1', 4), ...taken('192.0.2.2', 2)];
    t.equal(queue.waiting, 5);
    const [other] = taken('192.0.2.3', 1);
    t.equal(await mails[3], 'QueueRefused');
    resolve();
    t.equal(await other, 'checked');
    t.same((await Promise.all(mails)).filter((outcome) => outcome === 'checked').length, 5);
  },
);

t.test('what waits is bounded for each and for all, and in time', async (t) => {
  const { queue, ask, refused } = open({ waiting: 3, waitingPerTenant: 2, waitMs: 30 });
  const running = ask('a');
  const waiting = [ask('a'), ask('a'), ask('b')];
  await t.rejects(ask('a').done, { name: 'QueueRefused', limit: 'workspace' });
  await t.rejects(ask('b').done, { name: 'QueueRefused', limit: 'all' });
  t.match(refused, [
    { resource: 'things', limit: 'workspace', used: 2, most: 2 },
    { limit: 'all', used: 3, most: 3 },
  ]);
  for (const { done } of waiting) await t.rejects(done, { name: 'QueueRefused' }, 'no turn in time');
  await running.end();
  const next = ask('a');
  const behind = ask('a');
  queue.close();
  await t.rejects(behind.done, { name: 'QueueRefused' });
  await t.rejects(ask('a').done, { name: 'QueueRefused' });
  await next.end();
});

t.test('work that fails gives its turn back', async (t) => {
  const { queue } = open();
  await t.rejects(
    queue.run({}, async () => {
      throw new Error('no');
    }),
    { message: 'no' },
  );
  t.equal(await queue.run({}, async () => 'next'), 'next');
});

t.test('a full queue makes room for who has less waiting, by the last of who has the most', async (t) => {
  const { order, ask, refused } = open({ waiting: 4, waitingPerTenant: 3 });
  const first = ask('one');
  const ofOne = [1, 2, 3].map((n) => ask('one', `one ${n}`));
  const ofTwo = ask('two');
  const late = ask('late');
  await t.rejects(ofOne[2]?.done ?? first.done, { name: 'QueueRefused', limit: 'all' });
  const second = ask('late', 'late 2');
  await t.rejects(second.done, { name: 'QueueRefused', limit: 'all' });
  t.match(refused, [
    { quotaSubject: { workspace: 'one' }, limit: 'all', used: 4, most: 4 },
    { quotaSubject: { workspace: 'late' }, limit: 'all' },
  ]);
  for (const each of [first, ofTwo, late, ...ofOne.slice(0, 2)]) await each.end();
  t.same(order, ['one', 'two', 'late', 'one 1', 'one 2']);
});

t.test('what waits holds so many octets, of a workspace and in all', async (t) => {
  const { ask, refused } = open({ octets: 100, octetsPerTenant: 60 });
  const first = ask('one', 'one', 60);
  const large = ask('one', 'one', 50);
  await t.rejects(ask('one', 'one', 20).done, { name: 'QueueRefused', limit: 'workspace' });
  t.match(refused, [{ limit: 'workspace', used: 50, most: 60 }]);
  const other = ask('two', 'two', 45);
  const third = ask('three', 'three', 20);
  await t.rejects(large.done, { name: 'QueueRefused', limit: 'all' });
  for (const each of [first, other, third]) await each.end();
  await ask('one', 'one', 60).end();
  t.match(refused[1], { quotaSubject: { workspace: 'one' }, limit: 'all', used: 95, most: 100 });
});

t.test('time that an idle owner has not used gives it no turns before others', async (t) => {
  const { clock, order, ask } = open();
  const [first, light, next] = [ask('heavy'), ask('light'), ask('heavy')];
  clock.at += 10;
  await first.end();
  clock.at += 1;
  await light.end();
  const [second, third, other] = [ask('light', 'light 2'), ask('light', 'light 3'), ask('other')];
  await next.end();
  clock.at += 5;
  await second.end();
  t.same(order.slice(3), ['light 2', 'other']);
  await Promise.all([other, third].map((each) => each.end()));
});

t.test('what is exempt makes no room for others; a queue that is closed takes nothing', async (t) => {
  const { queue, ask } = open({ waiting: 2 });
  const first = ask('one');
  const exempt = [1, 2].map(() => queue.run({ network: '127.0.0.1', isExempt: true }, async () => 'done'));
  await t.rejects(ask('late').done, { name: 'QueueRefused', limit: 'all' });
  await first.end();
  t.same(await Promise.all(exempt), ['done', 'done']);
  queue.close();
  await t.rejects(ask('one').done, { name: 'QueueRefused', limit: 'all' });
});
