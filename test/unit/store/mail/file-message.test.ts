import t from 'tap';
import { findMessage } from '../../../../src/store/mail/messages.ts';
import { findThread } from '../../../../src/store/mail/threads.ts';
import { openSmallStore } from '../../../harness/small-store.ts';
import { storeMail as fileMail } from '../../../harness/stored-mail.ts';

const NOW = 1_800_000_000_000;

t.test('a filed message has a time of its own, its thread and the state of its direction', async (t) => {
  const { store, mailboxId, storeMail } = await openSmallStore(t, { now: () => NOW });
  const first = await storeMail({ subject: 'Lunch' });
  const second = await storeMail({ subject: 'Re: Lunch', threadId: first.threadId, direction: 'out' });
  const gone = await storeMail({ subject: 'Other', threadId: '019a9f3c-5c4e-7d10-8a2b-6f0c1d2e3f40' as never });
  const states = await Promise.all([first, second].map(({ id }) => findMessage(store.read, mailboxId, id)));
  t.match(states, [
    { createdAt: NOW, unread: true, status: 'received', threadId: first.threadId },
    { createdAt: NOW + 1, unread: false, status: 'sent', threadId: first.threadId },
  ]);
  t.match(await findThread(store.read, mailboxId, first.threadId), {
    subject: 'Lunch',
    messageCount: 2,
    unreadCount: 1,
    lastMessageAt: NOW + 1,
    participants: ['Carol <carol@remote.test>'],
  });
  t.match(await findThread(store.read, mailboxId, gone.threadId), { subject: 'Other', messageCount: 1 });
});

t.test('mail of the past has its own time, in the order of its filing, and does not head its thread', async (t) => {
  const { store, newId, mailboxId, storeMail } = await openSmallStore(t, { now: () => NOW });
  const newest = await storeMail({ subject: 'Lunch' });
  const past = NOW - 1_000_000;
  const times = await store.write(async (tx) => {
    const mail = { subject: 'Lunch', threadId: newest.threadId, unread: false };
    const filed: number[] = [];
    for (const at of [past, past, NOW + 5_000, past + 999, past]) {
      filed.push((await fileMail(tx, newId, mailboxId, { ...mail, at, body: `${at}` }, NOW)).createdAt - NOW);
    }
    return filed;
  });
  t.same(
    times,
    [-1_000_000, -999_999, 1, -999_001, -999_000],
    'a second that is full goes on in the next; never later than now',
  );
  t.match(await findThread(store.read, mailboxId, newest.threadId), { messageCount: 6, unreadCount: 1 });
  t.match(await findThread(store.read, mailboxId, newest.threadId), {
    lastMessageAt: NOW + 1,
    snippet: `${NOW + 5_000}`,
  });
});
