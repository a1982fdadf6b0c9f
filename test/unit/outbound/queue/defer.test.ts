import t from 'tap';
import type { Address } from '../../../../src/kernel/address.ts';
import { createClaims } from '../../../../src/outbound/queue/claims.ts';
import { createDefer } from '../../../../src/outbound/queue/defer.ts';
import { DestinationLimits } from '../../../../src/outbound/queue/destination-limits.ts';
import { insertDeliveries } from '../../../../src/store/sending/deliveries.ts';
import { expediteDelivery, listQueue } from '../../../../src/store/sending/delivery-queue.ts';
import { openSmallStore } from '../../../harness/small-store.ts';

const NOW = 1_800_000_000_000;

t.test('deliveries on the same route as a deferred one are deferred with it', async (t) => {
  const small = await openSmallStore(t);
  const { store, newId } = small;
  const { id: messageId } = await small.storeMail({ direction: 'out' });
  const limits = new DestinationLimits({ now: () => NOW });
  const put = async (count: number, domain: string, dueAt: number, mailboxId = small.mailboxId) => {
    const row = () => ({ id: newId<'delivery'>(), messageId, mailboxId, domain, address: `x@${domain}` as Address });
    const rows = Array.from({ length: count }, row);
    await store.write((tx) => insertDeliveries(tx, rows, dueAt, dueAt));
    return rows;
  };
  await put(2_500, 'down.test', NOW);
  const [taken] = await createClaims(store).take(NOW, NOW + 600_000, 1);
  await put(2, 'up.test', NOW);
  await put(2, 'down.test', NOW, newId<'mailbox'>());
  const [insisted] = await put(1, 'down.test', NOW);
  await put(1, 'down.test', NOW + 4_000);
  await put(1, 'down.test', NOW + 60_000);
  if (!taken || !insisted) throw new Error('No row');
  await store.write((tx) => expediteDelivery(tx, insisted.id, NOW));

  limits.record('mx.down.test', 'unreachable');
  const until = limits.backedOffUntil('mx.down.test');
  t.equal(until, NOW + 5_000);
  await createDefer({ store, limits, clock: { now: () => NOW } })(taken, 'mx.down.test');

  const queue = await listQueue(store.read, null, 10_000);
  const now = queue.filter(({ nextAttemptAt }) => nextAttemptAt === NOW);
  t.equal(now.length, 5, 'another domain’s, another mailbox’s, and the one that a person wants tried');
  const times = queue.filter(({ nextAttemptAt }) => (nextAttemptAt ?? 0) >= until).map((row) => row.nextAttemptAt ?? 0);
  t.equal(times.length, 2_502);
  t.ok(times.includes(NOW + 60_000), 'what is due later anyway stays');
  t.equal(new Set(times).size, 2_502, 'each at a time of its own');
  t.ok(queue.every(({ attempts }) => attempts === 0));
});
