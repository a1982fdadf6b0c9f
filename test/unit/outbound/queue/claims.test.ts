import t, { type Test } from 'tap';
import type { Address } from '../../../../src/kernel/address.ts';
import type { MailboxId, RunId } from '../../../../src/kernel/ids.ts';
import { Claimed, createClaims } from '../../../../src/outbound/queue/claims.ts';
import {
  type Delivery,
  findDelivery,
  insertDeliveries,
  recordReport,
} from '../../../../src/store/sending/deliveries.ts';
import {
  cancelDelivery,
  expediteDelivery,
  nextDueTime,
  recordAttempt,
  recordResult,
  releaseDeliveries,
  renewLeases,
  voidLeases,
} from '../../../../src/store/sending/delivery-queue.ts';
import { passDelivery, takePassed } from '../../../../src/store/sending/passed-deliveries.ts';
import { openSmallStore } from '../../../harness/small-store.ts';

const NOW = 1_800_000_000_000;
const LATER = NOW + 600_000;
const RUN = '01900000-0000-7000-8000-000000000001' as RunId;
const NEXT_RUN = '01900000-0000-7000-8000-000000000002' as RunId;

const openQueue = async (t: Test) => {
  const small = await openSmallStore(t);
  const { store, newId } = small;
  const message = await small.storeMail({ direction: 'out' });
  /** Puts rows of a mailbox into the queue. */
  const enqueue = async (count: number, { mailboxId = newId<'mailbox'>(), dueAt = NOW } = {}): Promise<MailboxId> => {
    const row = () => ({ id: newId<'delivery'>(), messageId: message.id, mailboxId, domain: 'remote.test' });
    const rows = Array.from({ length: count }, () => ({ ...row(), address: 'carol@remote.test' as Address }));
    await store.write((tx) => insertDeliveries(tx, rows, dueAt, dueAt));
    return mailboxId;
  };
  const one = async (): Promise<Delivery> => {
    await enqueue(1);
    const [delivery] = await createClaims({ ...store, runId: RUN }).take(NOW, LATER, 1);
    if (!delivery) throw new Error('Nothing is due.');
    return delivery;
  };
  const find = ({ id }: Delivery) => findDelivery(store.read, id);
  return { store, claims: createClaims({ ...store, runId: RUN }), enqueue, one, find };
};

const countOf = (taken: readonly Delivery[], mailbox: MailboxId): number =>
  taken.filter(({ mailboxId }) => mailboxId === mailbox).length;

t.test('what is due is leased, once, until its lease ends', async (t) => {
  const { claims, enqueue } = await openQueue(t);
  await enqueue(3);
  await enqueue(2, { dueAt: NOW + 1 });
  t.equal((await claims.take(NOW, LATER, 10)).length, 3);
  t.equal((await claims.take(NOW, LATER, 10)).length, 0);
  t.equal((await claims.take(NOW + 1, LATER, 10)).length, 2);
  t.equal((await claims.take(LATER - 1, LATER, 10)).length, 0);
  t.equal((await claims.take(LATER, LATER + 1, 10)).length, 5, 'an expired lease is claimed again');
});

t.test('where more is due than can be taken each mailbox has its share', async (t) => {
  const { claims, enqueue } = await openQueue(t);
  const big = await enqueue(300, { dueAt: NOW - 1_000 });
  const small = await enqueue(2);
  const other = await enqueue(20);
  const taken = await claims.take(NOW, LATER, 30);
  t.equal(taken.length, 30, 'the whole limit is used');
  t.equal(countOf(taken, small), 2);
  t.equal(countOf(taken, other), 10);
  t.equal(countOf(taken, big), 18, 'what the others leave goes to who has waited longest');
});

t.test('mailboxes without due mail get no share', async (t) => {
  const { claims, enqueue } = await openQueue(t);
  for (let number = 0; number < 120; number += 1) await enqueue(1, { dueAt: NOW + 1 });
  const big = await enqueue(200);
  for (let number = 0; number < 120; number += 1) await enqueue(1, { dueAt: NOW + 1 });
  const small = await enqueue(1);
  const taken = await claims.take(NOW, LATER, 20);
  t.equal(countOf(taken, small), 1);
  t.equal(countOf(taken, big), 19);
});

t.test('with more mailboxes than one claim serves, the next claim continues', async (t) => {
  const { claims, enqueue } = await openQueue(t);
  const mailboxes: MailboxId[] = [];
  for (let number = 0; number < 120; number += 1) mailboxes.push(await enqueue(5));
  const served = new Set<MailboxId>();
  for (let take = 0; take < 3; take += 1) {
    for (const { mailboxId } of await claims.take(NOW, LATER, 50)) served.add(mailboxId);
  }
  t.equal(served.size, mailboxes.length);
  let rest = 0;
  for (let taken = -1; taken !== 0; rest += taken) taken = (await claims.take(NOW, LATER, 50)).length;
  t.equal(rest, 600 - 150, 'and in the end everything is taken');
});

t.test('a start voids leases, and says which attempts were cut off', async (t) => {
  const { store, claims, one, find } = await openQueue(t);
  const [begun, waiting] = [await one(), await one()];
  await store.write((tx) => recordAttempt(tx, begun.id, RUN, NOW));
  await store.write((tx) => renewLeases(tx, { by: RUN, until: LATER + 1_000 }));
  t.equal((await claims.take(LATER, LATER, 10)).length, 0, 'renewed');
  await store.write((tx) => voidLeases(tx, [NEXT_RUN]));
  t.match(await find(begun), { status: 'deferred', attempts: 1, attempting: false, response: /again/ });
  t.match(await find(waiting), { status: 'queued', attempts: 0, response: null });
  t.equal((await claims.take(NOW, LATER, 10)).length, 2);
});

t.test('a released delivery counts no attempt', async (t) => {
  const { store, one, find } = await openQueue(t);
  const delivery = await one();
  t.equal(await store.write((tx) => recordAttempt(tx, delivery.id, RUN, NOW)), true);
  await store.write((tx) => releaseDeliveries(tx, [delivery.id], RUN, LATER));
  t.match(await find(delivery), { attempts: 0, attempting: false, lastAttemptAt: null, nextAttemptAt: LATER });
});

t.test('an operator expedites or cancels what waits, not what is in progress', async (t) => {
  const { store, one, find } = await openQueue(t);
  const delivery = await one();
  t.equal(await store.write((tx) => expediteDelivery(tx, delivery.id, NOW + 7)), true);
  t.match(await find(delivery), { insisted: true, nextAttemptAt: NOW + 7 });
  await store.write((tx) => recordAttempt(tx, delivery.id, RUN, NOW));
  t.equal(await store.write((tx) => expediteDelivery(tx, delivery.id, NOW)), false);
  t.equal(await store.write((tx) => cancelDelivery(tx, delivery.id)), false);
  await store.write((tx) => releaseDeliveries(tx, [delivery.id], RUN, LATER));
  t.equal(await store.write((tx) => cancelDelivery(tx, delivery.id)), true);
  t.match(await find(delivery), { status: 'cancelled', nextAttemptAt: null });
  t.equal(await store.write((tx) => recordAttempt(tx, delivery.id, RUN, NOW)), false, 'it is not attempted any more');
  t.equal(await store.write((tx) => expediteDelivery(tx, delivery.id, NOW)), false);
});

const DELIVERED = {
  status: 'delivered',
  nextAttemptAt: null,
  code: 250,
  enhancedCode: '2.0.0',
  response: '250 OK',
  remoteHost: null,
  tls: null,
  transcript: null,
} as const;

t.test('a run whose lease was taken over records nothing', async (t) => {
  const { store, one, find } = await openQueue(t);
  const delivery = await one();
  t.equal(await store.write((tx) => recordAttempt(tx, delivery.id, RUN, NOW)), true);
  await store.write((tx) => voidLeases(tx, [NEXT_RUN]));
  const [again] = await createClaims({ ...store, runId: NEXT_RUN }).take(LATER, LATER + 1_000, 1);
  t.equal(again?.id, delivery.id);
  t.equal(await store.write((tx) => recordResult(tx, delivery.id, RUN, DELIVERED)), false);
  t.equal(await store.write((tx) => recordAttempt(tx, delivery.id, RUN, LATER)), false);
  await store.write((tx) => releaseDeliveries(tx, [delivery.id], RUN, NOW));
  await store.write((tx) => renewLeases(tx, { by: RUN, until: LATER + 9_000 }));
  t.match(await find(delivery), { status: 'deferred', attempting: false, nextAttemptAt: NOW });
  t.equal(
    (await createClaims({ ...store, runId: RUN }).take(LATER + 999, LATER + 2_000, 1)).length,
    0,
    'the lease of the next run holds',
  );
  t.equal((await createClaims({ ...store, runId: RUN }).take(LATER + 1_000, LATER + 2_000, 1)).length, 1, 'and ends');
  t.equal(await store.write((tx) => recordResult(tx, delivery.id, RUN, DELIVERED)), true);
  t.match(await find(delivery), { status: 'delivered', nextAttemptAt: null });
  t.equal((await createClaims({ ...store, runId: RUN }).take(LATER + 99_000, LATER + 99_001, 1)).length, 0);
});

t.test('an attempt under way is claimed by no box, whatever its clock says', async (t) => {
  const { store, one, find } = await openQueue(t);
  const delivery = await one();
  await store.write((tx) => recordAttempt(tx, delivery.id, RUN, NOW));
  const other = createClaims({ ...store, runId: NEXT_RUN });
  t.same(await other.take(LATER + 9_000_000, LATER + 9_600_000, 10), []);
  t.equal(await nextDueTime(store.read), null, 'nor looked for again and again');
  t.equal(await store.write((tx) => recordResult(tx, delivery.id, RUN, DELIVERED)), true);
  t.match(await find(delivery), { status: 'delivered' });
});

t.test('what another box was given stays for it to take, while it renews the leases that it has', async (t) => {
  const { store, one } = await openQueue(t);
  const { id } = await one();
  const passed = { by: RUN, to: NEXT_RUN, lane: 1, until: LATER, most: { inAll: 9, ofLane: 9 } };
  t.equal(await store.write((tx) => passDelivery(tx, id, passed)), true);
  await store.write((tx) => renewLeases(tx, { by: NEXT_RUN, until: LATER + 1_000 }));
  t.match(await store.write((tx) => takePassed(tx, { by: NEXT_RUN, until: LATER }, 9)), [{ id }]);
});

t.test('a report ends a delivery that is in flight', async (t) => {
  const { store, one, find } = await openQueue(t);
  const delivery = await one();
  await store.write((tx) => recordAttempt(tx, delivery.id, RUN, NOW));
  const report = { status: 'bounced', code: 550, enhancedCode: '5.1.1', response: '550 gone' } as const;
  await store.write((tx) => recordReport(tx, delivery.id, report));
  t.equal(await store.write((tx) => recordResult(tx, delivery.id, RUN, DELIVERED)), false);
  await store.write((tx) => voidLeases(tx, [NEXT_RUN]));
  t.match(await find(delivery), { ...report, attempting: false, nextAttemptAt: null });
});

t.test('a mailbox that has as many claims as it leaves free gets no more', async (t) => {
  const { claims, enqueue } = await openQueue(t);
  const hanging = await enqueue(30);
  const claimed = new Claimed();
  for (const each of await claims.take(NOW, LATER, 10)) claimed.add(each);
  t.equal(claimed.size, 10);
  t.same([...claimed.mailboxesWith(10)], [hanging]);
  const other = await enqueue(2);
  const taken = await claims.take(NOW, LATER, 100, claimed.mailboxesWith(10));
  t.equal(countOf(taken, other), 2);
  t.equal(taken.length, 2);
  for (const each of taken) {
    claimed.add(each);
    claimed.delete(each.id);
    claimed.delete(each.id);
  }
  t.equal(claimed.mailboxesWith(1).size, 1, 'what is released counts no more');
  t.equal((await claims.take(NOW, LATER, 100)).length, 20);
});
