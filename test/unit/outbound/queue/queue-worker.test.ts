import t from 'tap';
import { parseBounceRules } from '../../../../src/config/bounce-rules.ts';
import { type Address, domainOf } from '../../../../src/kernel/address.ts';
import { createOutboundWorker, type WorkerNeeds } from '../../../../src/outbound/queue/queue-worker.ts';
import { insertDeliveries } from '../../../../src/store/sending/deliveries.ts';
import { openSmallStore } from '../../../harness/small-store.ts';

const NOW = 1_800_000_000_000;

t.test('a delivery that comes due while the queue is read does not wait for the next poll', async (t) => {
  const small = await openSmallStore(t, { now: () => NOW });
  const { store, events, newId, mailboxId } = small;
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
  const worker = createOutboundWorker({
    store,
    events,
    newId,
    clock: { now },
    workers: { run: async () => Buffer.alloc(0) },
    bounceRules: parseBounceRules('[[rule]]\nmeans = "retry"\ncodes = ["4xx"]', 'test'),
    receiveLocally: async ({ recipient }: { recipient: string }) => receive(recipient),
    randomFraction: () => 0.5,
    onError: (error: unknown) => t.fail(String(error)),
  } as unknown as WorkerNeeds);
  t.teardown(() => worker.stop(0));
  const begin = performance.now();
  await worker.start();
  t.equal(await received, address);
  t.ok(performance.now() - begin < 2_500, 'half of the pause between two looks');
});
