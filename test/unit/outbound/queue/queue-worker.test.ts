import t, { type Test } from 'tap';
import { parseBounceRules } from '../../../../src/config/bounce-rules.ts';
import { type Address, domainOf } from '../../../../src/kernel/address.ts';
import type { Clock } from '../../../../src/kernel/clock.ts';
import { createOutboundWorker, type WorkerNeeds } from '../../../../src/outbound/queue/queue-worker.ts';
import { findDelivery, insertDeliveries } from '../../../../src/store/sending/deliveries.ts';
import { openSmallStore, type SmallStore } from '../../../harness/small-store.ts';

const NOW = 1_800_000_000_000;

const openWorker = (t: Test, small: SmallStore, clock: Clock, receive: (recipient: string) => void) => {
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
  t.ok(performance.now() - begin < 2_500, 'half of the pause between two looks');
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
