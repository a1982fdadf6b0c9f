import t from 'tap';
import { findMessage } from '../../../../src/store/mail/messages.ts';
import { findThread } from '../../../../src/store/mail/threads.ts';
import { openSmallStore } from '../../../harness/small-store.ts';

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
