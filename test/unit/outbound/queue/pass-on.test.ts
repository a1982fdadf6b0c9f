/** The box that leads passes deliveries on by lane: to whom, how many, and what becomes of them where boxes come and go. */

import t, { type Test } from 'tap';
import { type Address, domainOf } from '../../../../src/kernel/address.ts';
import { MINUTE } from '../../../../src/kernel/clock.ts';
import type { RunId } from '../../../../src/kernel/ids.ts';
import { ActiveQueue } from '../../../../src/outbound/queue/active-queue.ts';
import { createClaims } from '../../../../src/outbound/queue/claims.ts';
import { createDefer } from '../../../../src/outbound/queue/defer.ts';
import { DestinationLimits } from '../../../../src/outbound/queue/destination-limits.ts';
import type { Destination, Route } from '../../../../src/outbound/queue/find-route.ts';
import { laneOf, ownerOf } from '../../../../src/outbound/queue/lanes.ts';
import { createPassOn } from '../../../../src/outbound/queue/pass-on.ts';
import { type Delivery, findDelivery, insertDeliveries } from '../../../../src/store/sending/deliveries.ts';
import { listQueue, recordAttempt, recordResult } from '../../../../src/store/sending/delivery-queue.ts';
import { isPassedTo, takePassed } from '../../../../src/store/sending/passed-deliveries.ts';
import { createTestClock } from '../../../harness/domains.ts';
import { openSmallStore } from '../../../harness/small-store.ts';

const MOST = { inAll: 20, ofLane: 12 };
const LEADER = '01900000-0000-7000-8000-000000000001' as RunId;
const SECOND = '01900000-0000-7000-8000-000000000002' as RunId;
const THIRD = '01900000-0000-7000-8000-000000000003' as RunId;

/** The first domain that `owner` sends to, of these boxes. */
const domainIn = (
  owner: RunId,
  boxes: readonly [RunId, ...RunId[]],
  elsewhere?: [RunId, readonly [RunId, ...RunId[]]],
) => {
  for (let number = 0; ; number += 1) {
    const domain = `d${number}.test`;
    const lane = laneOf(`mx.${domain}`);
    if (ownerOf(lane, boxes) !== owner) continue;
    if (!elsewhere || ownerOf(lane, elsewhere[1]) === elsewhere[0]) return domain;
  }
};

const otherDomains = (but: string, owner: RunId, boxes: readonly [RunId, ...RunId[]]): string[] =>
  Array.from({ length: 60 }, (_, number) => `o${number}.test`)
    .filter((domain) => domain !== but && ownerOf(laneOf(`mx.${domain}`), boxes) === owner)
    .slice(0, 10);

const open = async (t: Test) => {
  const clock = createTestClock();
  const small = await openSmallStore(t, clock);
  const { newId } = small;
  const { id: messageId } = await small.storeMail({ direction: 'out' });
  const boxes: RunId[] = [LEADER];
  const ending = new Set<RunId>();
  const store = {
    ...small.store,
    runId: LEADER,
    findRuns: async () => boxes.map((each) => ({ runId: each, isEnding: ending.has(each) })),
  };
  const limits = new DestinationLimits(clock);
  const active = new ActiveQueue();
  const dropped: string[] = [];
  const defer = createDefer({ store, limits, clock });
  const sessions = { dropAllOf: async (host: string) => void dropped.push(host) };
  const create = () => createPassOn({ store, clock, limits, active, sessions, defer }, MOST);
  const passing = create();
  const put = async (domain: string, count = 1): Promise<Delivery[]> => {
    const rows = Array.from({ length: count }, () => {
      const address = `x@${domain}` as Address;
      return { id: newId<'delivery'>(), messageId, mailboxId: small.mailboxId, address, domain: domainOf(address) };
    });
    const lease = { by: LEADER, until: clock.now() + 10 * MINUTE };
    return store.write((tx) => insertDeliveries(tx, rows, clock.now(), clock.now(), lease));
  };
  const passOn = (delivery: Delivery | undefined): Promise<boolean> => {
    if (!delivery) throw new Error('No delivery');
    const route: Route = [{ name: `mx.${delivery.domain}`, address: '192.0.2.1' } as unknown as Destination];
    return passing.passOn(delivery, route);
  };
  const takeAs = (by: RunId, limit = 10_000): Promise<Delivery[]> =>
    store.write((tx) => takePassed(tx, { by, until: clock.now() + 10 * MINUTE }, limit));
  const due = async (): Promise<string[]> => {
    const claimed = await createClaims(store).take(clock.now(), clock.now() + 10 * MINUTE, 10_000);
    return claimed.map(({ id }) => id);
  };
  const end = (by: RunId, { id }: Pick<Delivery, 'id'>): Promise<boolean> =>
    store.write(async (tx) => {
      await recordAttempt(tx, id, by, clock.now());
      const result = {
        status: 'delivered',
        nextAttemptAt: null,
        code: 250,
        enhancedCode: null,
        response: 'ok',
      } as const;
      return recordResult(tx, id, by, { ...result, remoteHost: null, tls: null, transcript: null });
    });
  await passing.lead();
  return { create, clock, store, boxes, ending, limits, dropped, passing, put, passOn, takeAs, due, end };
};

const look = async ({ clock, passing }: Awaited<ReturnType<typeof open>>): Promise<void> => {
  clock.skip(1_000);
  await passing.look();
};

t.test('one box attempts all; of two, each has the deliveries of its lanes', async (t) => {
  const queue = await open(t);
  const { boxes, put, passOn, takeAs, store, end } = queue;
  const both = [LEADER, SECOND] as const;
  const [own, others] = [domainIn(LEADER, both), domainIn(SECOND, both)];
  t.equal(await passOn((await put(others))[0]), false, 'a box alone');
  boxes.push(SECOND);
  await look(queue);
  t.equal(await passOn((await put(own))[0]), false);
  const [passed] = await put(others);
  t.equal(await isPassedTo(store.read, SECOND), false);
  t.equal(await passOn(passed), true);
  t.same(queue.dropped, [`mx.${others}`], 'no session of this box stays open beside those of the other');
  t.equal(await isPassedTo(store.read, SECOND), true);
  t.same(await takeAs(LEADER), [], 'another takes it');
  t.equal((await takeAs(SECOND))[0]?.id, passed?.id);
  t.same(await takeAs(SECOND), [], 'once');
  t.equal(await isPassedTo(store.read, SECOND), false);
  if (!passed) return;
  t.equal(await end(LEADER, passed), false, 'the box that passed it on records nothing');
  t.equal(await end(SECOND, passed), true);
  t.match(await findDelivery(store.read, passed.id), { status: 'delivered' });
});

t.test('a lane moves once its former box has nothing of it under way', async (t) => {
  const queue = await open(t);
  const { boxes, put, passOn, takeAs, due, end, clock, limits } = queue;
  const [both, all] = [[LEADER, SECOND] as const, [LEADER, SECOND, THIRD] as const];
  const domain = domainIn(THIRD, all, [SECOND, both]);
  boxes.push(SECOND);
  await look(queue);
  const [first, later] = await put(domain, 2);
  t.equal(await passOn(first), true);
  const [taken] = await takeAs(SECOND);
  boxes.push(THIRD);
  await look(queue);
  t.equal(await passOn(later), true);
  t.same([await takeAs(SECOND), await takeAs(THIRD)], [[], []], 'it waits in the store');
  clock.skip(20_000);
  t.same(await due(), [later?.id]);
  t.equal(await passOn(later), true);
  t.same(await takeAs(THIRD), [], 'still');
  if (taken) await end(SECOND, taken);
  clock.skip(20_000);
  t.same(await due(), [later?.id]);
  t.equal(await passOn(later), true);
  t.equal((await takeAs(THIRD))[0]?.id, later?.id);

  const fromHere = domainIn(THIRD, all, [LEADER, both]);
  limits.begin(`mx.${fromHere}`);
  const [waits] = await put(fromHere);
  t.equal(await passOn(waits), true);
  t.same(await takeAs(THIRD), [], 'this box has one under way');
  limits.end(`mx.${fromHere}`);
  clock.skip(20_000);
  await due();
  await passOn(waits);
  t.equal((await takeAs(THIRD))[0]?.id, waits?.id);
});

t.test(
  'a box has no more than so many that were passed to it, and of a lane; the rest is due later, spread',
  async (t) => {
    const queue = await open(t);
    const { boxes, put, passOn, takeAs, store, clock } = queue;
    const both = [LEADER, SECOND] as const;
    const domain = domainIn(SECOND, both);
    boxes.push(SECOND);
    await look(queue);
    for (const each of await put(domain, MOST.ofLane + 10)) await passOn(each);
    t.equal((await takeAs(SECOND)).length, MOST.ofLane);
    const rows = await listQueue(store.read, null, 10_000);
    const waiting = rows.filter(({ nextAttemptAt }) => Number(nextAttemptAt) > clock.now());
    t.equal(new Set(waiting.map(({ nextAttemptAt }) => nextAttemptAt)).size, 10);
    for (const other of otherDomains(domain, SECOND, both)) {
      for (const each of await put(other, 3)) await passOn(each);
    }
    t.equal((await takeAs(SECOND)).length, MOST.inAll - MOST.ofLane);
  },
);

t.test('a box that ends takes nothing more; its lanes move once it has nothing of them', async (t) => {
  const queue = await open(t);
  const { boxes, ending, put, passOn, takeAs, due, end, clock } = queue;
  const domain = domainIn(SECOND, [LEADER, SECOND]);
  const idle = otherDomains(domain, SECOND, [LEADER, SECOND])[0] ?? '';
  boxes.push(SECOND);
  await look(queue);
  const [first, later] = await put(domain, 2);
  await passOn(first);
  const [taken] = await takeAs(SECOND);
  const [late] = await put(idle);
  await passOn(late);
  ending.add(SECOND);
  await look(queue);
  t.same(await due(), [late?.id], 'what was passed to it before that was known');
  t.equal(await passOn((await put(idle))[0]), false, 'of a lane that it has nothing of');
  t.equal(await passOn(later), true, 'it waits');
  clock.skip(6_000);
  await queue.passing.look();
  t.same(await due(), [later?.id], 'what the box has under way is still its own');
  if (taken) await end(SECOND, taken);
  t.equal(await passOn(later), false);
});

t.test('a box whose connection is lost for a moment keeps its lanes', async (t) => {
  const queue = await open(t);
  const { boxes, put, passOn, takeAs } = queue;
  boxes.push(SECOND);
  await look(queue);
  boxes.pop();
  await look(queue);
  const [passed] = await put(domainIn(SECOND, [LEADER, SECOND]));
  t.equal(await passOn(passed), true);
  t.equal((await takeAs(SECOND))[0]?.id, passed?.id);
});

t.test('what a box had that is gone for ten seconds is due again, and an attempt of it was cut off', async (t) => {
  const queue = await open(t);
  const { boxes, put, passOn, takeAs, store, clock, due } = queue;
  const domain = domainIn(SECOND, [LEADER, SECOND]);
  boxes.push(SECOND);
  await look(queue);
  const [begun, untaken] = await put(domain, 2);
  await passOn(begun);
  await takeAs(SECOND);
  await passOn(untaken);
  if (!begun || !untaken) return;
  await store.write((tx) => recordAttempt(tx, begun.id, SECOND, clock.now()));
  boxes.pop();
  for (let second = 0; second < 9; second += 1) await look(queue);
  t.same(await due(), [], 'its connection may come back');
  for (let second = 0; second < 2; second += 1) await look(queue);
  t.same(new Set(await due()), new Set([begun.id, untaken.id]));
  t.match(await findDelivery(store.read, begun.id), {
    status: 'deferred',
    response: /Postroom ended during this attempt/,
  });
});

t.test('who leads next has what ended runs had, and what was passed to it', async (t) => {
  const queue = await open(t);
  const { boxes, put, passOn, create, due, takeAs } = queue;
  boxes.push(SECOND, THIRD);
  await look(queue);
  const all = [LEADER, SECOND, THIRD] as const;
  const [[dead], [alive]] = [await put(domainIn(SECOND, all)), await put(domainIn(THIRD, all))];
  for (const each of [dead, alive]) t.equal(await passOn(each), true);
  boxes.splice(1, 1);
  await create().lead();
  t.same(await due(), [dead?.id]);
  t.equal((await takeAs(THIRD))[0]?.id, alive?.id, 'a box that lives keeps its own');
});
