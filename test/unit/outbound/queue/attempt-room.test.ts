import t from 'tap';
import type { MailboxId } from '../../../../src/kernel/ids.ts';
import { AttemptRoom } from '../../../../src/outbound/queue/attempt-room.ts';

const MIB = 1024 * 1024;

/** Begins attempts until there is no room; returns how many. */
const fill = (room: AttemptRoom, mailbox: string, size: number): number => {
  for (let count = 0; ; count += 1) {
    if (!room.hasRoomFor(mailbox as MailboxId, size, 0)) return count;
    room.begin(mailbox as MailboxId, size);
  }
};

t.test('a mailbox takes half of the attempts, and each further one leaves some free', (t) => {
  const room = new AttemptRoom();
  t.equal(fill(room, 'one', 100), 100);
  t.equal(room.attemptsPerHost, 20, 'and a destination a fifth of what is free');
  for (const mailbox of ['two', 'three', 'four', 'five']) t.ok(fill(room, mailbox, 100) > 0, mailbox);
  t.ok(room.hasRoomFor('six' as MailboxId, 100, 0));
  room.end('one' as MailboxId, 100);
  t.equal(room.attemptsPerHost, 1);
  t.notOk(room.hasRoomFor('one' as MailboxId, 100, 0), 'less is free than when it began');
  t.end();
});

t.test('a mailbox’s large mail leaves octets to others, and small mail takes none', (t) => {
  const room = new AttemptRoom();
  t.equal(fill(room, 'one', 10 * MIB), 3);
  t.ok(room.hasRoomFor('two' as MailboxId, 10 * MIB, 0));
  t.ok(room.hasRoomFor('one' as MailboxId, 100, 0));
  for (let count = 0; count < 3; count += 1) room.end('one' as MailboxId, 10 * MIB);
  t.ok(room.hasRoomFor('one' as MailboxId, 100 * MIB, 0), 'one that is larger than all of it goes alone');
  t.end();
});

t.test('with half of the octets taken, large mail goes one at a time to each destination', (t) => {
  const room = new AttemptRoom();
  room.begin('one' as MailboxId, 32 * MIB);
  t.notOk(room.hasRoomFor('two' as MailboxId, MIB, 1));
  t.ok(room.hasRoomFor('two' as MailboxId, MIB, 0));
  t.ok(room.hasRoomFor('two' as MailboxId, 100, 1), 'small mail as before');
  t.end();
});
