import t, { type Test } from 'tap';
import { parseBounceRules } from '../../../../src/config/bounce-rules.ts';
import { type Address, domainOf } from '../../../../src/kernel/address.ts';
import type { Clock } from '../../../../src/kernel/clock.ts';
import { laneOf, ownerOf } from '../../../../src/outbound/queue/lanes.ts';
import { createOutboundWorker, type WorkerNeeds } from '../../../../src/outbound/queue/queue-worker.ts';
import { findDelivery, insertDeliveries, type Lease } from '../../../../src/store/sending/deliveries.ts';
import { cancelDelivery, nextDueTime } from '../../../../src/store/sending/delivery-queue.ts';
import { passDelivery, takePassed } from '../../../../src/store/sending/passed-deliveries.ts';
import type { Store } from '../../../../src/store/store.ts';
import { openSmallStore, type SmallStore } from '../../../harness/small-store.ts';
import { eventually } from '../../../harness/smtp/send-mail.ts';

const NOW = 1_800_000_000_000;

const openWorker = (
  t: Test,
  small: SmallStore,
  clock: Clock,
  receive: (recipient: string) => void,
  more: Partial<WorkerNeeds> = {},
) => {
  const { store, events, newId } = small;
  const worker = createOutboundWorker({
    store,
    events,
    newId,
    clock,
    workers: { run: async () => Buffer.alloc(0) },
    bounceRules: parseBounceRules('[[rule]]\nmeans = "retry"\ncodes = ["4xx"]', 'test'),
    receiveLocally: async ({ recipient }: { recipient: string }) => receive(recipient),
    randomFraction: () => 0.5,
    onError: (error: unknown) => t.fail(String(error)),
    ...more,
  } as unknown as WorkerNeeds);
  t.teardown(() => worker.stop(0));
  return worker;
};

t.test('a delivery that comes due while the queue is read does not wait for the next poll', async (t) => {
  const small = await openSmallStore(t, { now: () => NOW });
  const { store, newId, mailboxId } = small;
  const { id: messageId } = await small.storeMail({ direction: 'out' });
  const address = 'ann@w.box.test' as Address;
  const row = { id: newId<'delivery'>(), messageId, mailboxId, address, domain: domainOf(address) };
  await store.write((tx) => insertDeliveries(tx, [row], NOW, NOW));

  // The first reading of the clock, a millisecond early, decides what is due; the next due time is read after it.
  let isFirst = true;
  const now = () => {
    if (!isFirst) return NOW;
    isFirst = false;
    return NOW - 1;
  };
  const { promise: received, resolve: receive } = Promise.withResolvers<string>();
  const worker = openWorker(t, small, { now }, receive);
  const begin = performance.now();
  worker.start();
  await worker.lead();
  t.equal(await received, address);
  t.ok(performance.now() - begin < 4_500, 'less than the pause between two looks');
});

t.test('a delivery that is accepted while the queue has room is leased, and attempted without a claim', async (t) => {
  const small = await openSmallStore(t, { now: () => NOW });
  const { store, newId, mailboxId } = small;
  const { id: messageId } = await small.storeMail({ direction: 'out' });
  const { promise: received, resolve: receive } = Promise.withResolvers<string>();
  const worker = openWorker(t, small, { now: () => NOW }, receive);
  t.equal(worker.lease(), null, 'none before the start');
  worker.start();
  await worker.lead();
  await worker.idle();
  const address = 'ann@w.box.test' as Address;
  const row = { id: newId<'delivery'>(), messageId, mailboxId, address, domain: domainOf(address) };
  const lease = worker.lease();
  t.ok(lease, 'one afterwards');
  const accepted = await store.write((tx) => insertDeliveries(tx, [row], NOW, NOW, lease));
  t.same(accepted, [await findDelivery(store.read, row.id)], 'as the row has it');
  await worker.idle();
  t.match(await findDelivery(store.read, row.id), { attempts: 0, attempting: false }, 'no claim takes it');
  worker.take(accepted);
  t.equal(await received, address);
  await worker.stop(0);
  t.equal(worker.lease(), null, 'none after the stop');
});

t.test('a delivery that is claimed again before its task has ended is attempted', async (t) => {
  let now = NOW;
  const small = await openSmallStore(t, { now: () => now });
  const { store, newId, mailboxId } = small;
  const { id: messageId } = await small.storeMail({ direction: 'out' });
  const put = async (lease: Lease | null) => {
    const id = newId<'delivery'>();
    const row = { id, messageId, mailboxId, address: 'x@remote.test' as Address, domain: 'remote.test' };
    await store.write((tx) => insertDeliveries(tx, [row], now, now, lease));
    return id;
  };
  // Another box, to which the destination belongs, and a third that ends, and has one of its deliveries.
  const lane = laneOf('192.0.2.1');
  let other = newId<'run'>();
  while (ownerOf(lane, [store.runId, other]) !== other) other = newId<'run'>();
  const [third, until] = [newId<'run'>(), now + 600_000];
  const held = await put({ by: third, until });
  const most = { inAll: 10, ofLane: 10 };
  await store.write((tx) => passDelivery(tx, held, { by: third, to: third, lane, until, most }));
  const id = await put(null);

  const released = Promise.withResolvers<void>();
  const runs = [store.runId, other, third].map((runId) => ({ runId, isEnding: runId === third }));
  const slow: Store = {
    ...store,
    findRuns: async () => runs,
    write: async (work) => {
      const result = await store.write(work);
      const row = await findDelivery(store.read, id);
      if (row && row.nextAttemptAt !== NOW && now === NOW) {
        // It was released: the clock goes on, and the next look claims it before this answers.
        now += 60_000;
        worker.wake();
        await eventually(async () => (await nextDueTime(store.read)) !== row.nextAttemptAt);
        released.resolve();
      }
      return result;
    },
  };
  const host = { host: '192.0.2.1', port: 25, secure: false, credentials: null };
  const worker = openWorker(t, small, { now: () => now }, () => {}, {
    store: slow,
    isLocalOnly: false,
    smarthostFor: () => host,
    tlsPolicies: { opportunistic: {}, extraCa: null },
  } as unknown as Partial<WorkerNeeds>);
  worker.start();
  await worker.lead();
  await released.promise;
  await store.write((tx) => cancelDelivery(tx, held));
  now += 10_000;
  const taken = await eventually(async () => {
    worker.wake();
    const [found] = await store.write((tx) => takePassed(tx, { by: other, until: now + 600_000 }, 1));
    return found;
  });
  t.equal(taken.id, id, 'it is passed on, once the lane is free');
});
