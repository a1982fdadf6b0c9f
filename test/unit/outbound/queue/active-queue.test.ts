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
      const turn = queue.takeTurn(mailbox as MailboxId);
      queue.add(host, { delivery: { id: `${mailbox}${number}` } as unknown as Delivery, turn } as QueuedDelivery);
    }
  };
  const next = (isReady: (host: string) => boolean = any): string | null => {
    const found = queue.next(isReady);
    return found && `${found.waiting.delivery.id}`;
  };
  return { queue, add, next };
};

t.test('a mailbox with 1 000 rows keeps nobody waiting but itself', (t) => {
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

t.test('mailboxes take turns, also over hosts', (t) => {
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

t.test('a host that may not be asked keeps its line, and nobody else’s', (t) => {
  const { queue, add, next } = queueOf();
  add('down', 'a', 2);
  add('up', 'b', 1);
  const isUp = (host: string) => host === 'up';
  t.equal(next(isUp), 'b1');
  t.equal(next(isUp), null);
  t.same([...queue.lines()], [['down', 2]]);
  t.equal(next(), 'a1');
  t.end();
});

t.test('who waited elsewhere comes back to its own turn', (t) => {
  const { queue, add, next } = queueOf();
  add('mx', 'a', 1);
  const early = queue.next(any)?.waiting;
  add('mx', 'b', 2);
  if (early) queue.add('mx', early);
  t.equal(next(), 'a1');
  t.end();
});

t.test('what a line is cut by are its last turns', (t) => {
  const { queue, add, next } = queueOf();
  add('mx', 'big', 5);
  add('mx', 'small', 1);
  const taken = queue.takeBeyond('mx', 2).map(({ delivery }) => `${delivery.id}`);
  t.same(taken, ['big2', 'big3', 'big4', 'big5']);
  t.equal(queue.size, 2);
  t.same([next(), next(), next()], ['big1', 'small1', null]);
  t.end();
});
