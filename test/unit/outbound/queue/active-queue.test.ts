import t from 'tap';
import type { MailboxId } from '../../../../src/kernel/ids.ts';
import { ActiveQueue, type QueuedDelivery } from '../../../../src/outbound/queue/active-queue.ts';
import type { Delivery } from '../../../../src/store/sending/deliveries.ts';

const any = () => true;

/** A queue, and a way to put deliveries of a mailbox into it, named by mailbox and number. */
const queueOf = () => {
  const queue = new ActiveQueue();
  const add = (host: string, mailbox: string, count: number): void => {
    for (let number = 1; number <= count; number += 1) {
      const virtualTime = queue.nextVirtualTime(mailbox as MailboxId);
      queue.add(host, {
        delivery: { id: `${mailbox}${number}` } as unknown as Delivery,
        virtualTime,
      } as QueuedDelivery);
    }
  };
  const next = (isReady: (host: string) => boolean = any, hasRoomFor: (id: string) => boolean = any): string | null => {
    const found = queue.next(isReady, ({ delivery }) => hasRoomFor(delivery.id));
    return found && `${found.queued.delivery.id}`;
  };
  return { queue, add, next };
};

t.test('a mailbox with 1 000 rows delays only its own mail', (t) => {
  const { queue, add, next } = queueOf();
  add('mx', 'big', 1_000);
  t.equal(next(), 'big1');
  t.equal(next(), 'big2');
  add('mx', 'small', 1);
  const soon = [next(), next()];
  t.ok(soon.includes('small1'), `${soon}`);
  t.equal(queue.size, 997);
  t.end();
});

t.test('mailboxes alternate, also across destinations', (t) => {
  const { add, next } = queueOf();
  add('one', 'a', 3);
  add('two', 'b', 3);
  add('one', 'c', 3);
  t.same(
    Array.from({ length: 9 }, () => next()).map((name) => name?.at(-1)),
    ['1', '1', '1', '2', '2', '2', '3', '3', '3'],
  );
  t.equal(next(), null);
  t.end();
});

t.test('a destination that is not ready delays only its own queue', (t) => {
  const { queue, add, next } = queueOf();
  add('down', 'a', 2);
  add('up', 'b', 1);
  const isUp = (host: string) => host === 'up';
  t.equal(next(isUp), 'b1');
  t.equal(next(isUp), null);
  t.same([...queue.lengths()], [['down', 2]]);
  t.equal(next(), 'a1');
  t.end();
});

t.test('a delivery that fails over keeps its virtual time', (t) => {
  const { queue, add, next } = queueOf();
  add('mx', 'a', 1);
  const early = queue.next(any, any)?.queued;
  add('mx', 'b', 2);
  if (early) queue.add('mx', early);
  t.equal(next(), 'a1');
  t.end();
});

t.test('a queue is cut at its end', (t) => {
  const { queue, add, next } = queueOf();
  add('mx', 'big', 5);
  add('mx', 'small', 1);
  const taken = queue.takeBeyond('mx', 2).map(({ delivery }) => `${delivery.id}`);
  t.same(taken, ['big2', 'big3', 'big4', 'big5']);
  t.equal(queue.size, 2);
  t.same([next(), next(), next()], ['big1', 'small1', null]);
  t.end();
});

t.test('a delivery without room holds up none behind it', (t) => {
  const { add, next } = queueOf();
  add('mx', 'big', 2);
  add('mx', 'small', 1);
  const ofSmall = (id: string) => id.startsWith('small');
  t.equal(next(any, ofSmall), 'small1');
  t.equal(next(any, ofSmall), null);
  t.same([next(), next(), next()], ['big1', 'big2', null]);
  t.end();
});
