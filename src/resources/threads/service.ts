/** The threads resource. */

import { mailboxOf } from '../../kernel/caller.ts';
import { isoTime } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/operation.ts';
import { readTime, readTimeAndId, toPage } from '../../kernel/page.ts';
import { listThreadMessages } from '../../store/mail/thread-messages.ts';
import { findThread, listThreads, type StoredThread } from '../../store/mail/threads.ts';
import type { Store } from '../../store/store.ts';
import { viewMessage } from '../messages/view.ts';
import type { threadsContract } from './contract.ts';

const viewThread = (thread: StoredThread) => ({
  id: thread.id,
  subject: thread.subject,
  snippet: thread.snippet,
  participants: thread.participants,
  message_count: thread.messageCount,
  unread_count: thread.unreadCount,
  last_message_at: isoTime(thread.lastMessageAt),
});

export const createThreads = ({ store }: { store: Store }): Handlers<typeof threadsContract> => ({
  list: async (caller, { limit, cursor }) => {
    const rows = await listThreads(store.read, mailboxOf(caller), readTimeAndId<'thread'>(cursor), limit + 1);
    const { page, next_cursor } = toPage(rows, limit, ({ lastMessageAt, id }) => [lastMessageAt, id]);
    return { threads: page.map(viewThread), next_cursor };
  },

  get: async (caller, { id, limit, cursor }) => {
    const thread = await findThread(store.read, mailboxOf(caller), id);
    if (!thread) throw new ApiError('thread_not_found');
    const rows = await listThreadMessages(store.read, id, readTime(cursor), limit + 1);
    const { page, next_cursor } = toPage(rows, limit, ({ createdAt }) => [createdAt]);
    return {
      id,
      subject: thread.subject,
      message_count: thread.messageCount,
      last_message_at: isoTime(thread.lastMessageAt),
      messages: page.reverse().map(viewMessage),
      next_cursor,
    };
  },
});
