import t from 'tap';
import type { MailboxId } from '../../../../src/kernel/ids.ts';
import { AttemptRoom } from '../../../../src/outbound/queue/attempt-room.ts';

const MIB = 1024 * 1024;

/** Begins attempts until there is no room; returns how many. */
const fill = (room: AttemptRoom, mailbox: string, size: number): number => {
  for (let count = 0; ; count += 1) {
    if (!room.hasRoomFor(mailbox as MailboxId, size)) return count;
    room.begin(mailbox as MailboxId, size);
  }
};

t.test('a mailbox takes half of the attempts, and each further one leaves some free', (t) => {
  const room = new AttemptRoom();
  t.equal(fill(room, 'one', 100), 100);
  t.ok(room.isCrowded);
  for (const mailbox of ['two', 'three', 'four', 'five']) t.ok(fill(room, mailbox, 100) > 0, mailbox);
  t.ok(room.hasRoomFor('six' as MailboxId, 100));
  room.end('one' as MailboxId, 100);
  t.notOk(room.hasRoomFor('one' as MailboxId, 100), 'less is free than when it began');
  t.end();
});

t.test('a mailbox’s large mail leaves octets to others, and small mail takes none', (t) => {
  const room = new AttemptRoom();
  t.equal(fill(room, 'one', 10 * MIB), 3);
  t.ok(room.hasRoomFor('two' as MailboxId, 10 * MIB));
  t.ok(room.hasRoomFor('one' as MailboxId, 100));
  for (let count = 0; count < 3; count += 1) room.end('one' as MailboxId, 10 * MIB);
  t.ok(room.hasRoomFor('one' as MailboxId, 100 * MIB), 'one that is larger than all of it goes alone');
  t.end();
});
