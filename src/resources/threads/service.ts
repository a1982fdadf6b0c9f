/** The threads resource. */

import { mailboxOf } from '../../kernel/caller.ts';
import { isoTime, type Millis } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/operation.ts';
import { byCreationTime, readPage } from '../../kernel/page.ts';
import type { StoredMessage } from '../../store/mail/messages.ts';
import { listThreadMessages } from '../../store/mail/thread-messages.ts';
import { findThread, listThreads } from '../../store/mail/threads.ts';
import type { Store } from '../../store/store.ts';
import { viewMessage } from '../messages/view.ts';
import type { threadsContract } from './contract.ts';
import { byLastMessage, viewThread } from './view.ts';

export const createThreads = ({ store }: { store: Store }): Handlers<typeof threadsContract> => ({
  list: async (caller, input) => {
    const { rows, next_cursor } = await readPage(input, byLastMessage, (after, limit) =>
      listThreads(store.read, mailboxOf(caller), after, limit),
    );
    return { threads: rows.map(viewThread), next_cursor };
  },

  get: async (caller, { id, ...page }) => {
    const thread = await findThread(store.read, mailboxOf(caller), id);
    if (!thread) throw new ApiError('thread_not_found');
    const { rows, next_cursor } = await readPage<StoredMessage, Millis>(page, byCreationTime, (before, limit) =>
      listThreadMessages(store.read, id, before, limit),
    );
    return {
      id,
      subject: thread.subject,
      message_count: thread.messageCount,
      last_message_at: isoTime(thread.lastMessageAt),
      messages: rows.reverse().map(viewMessage),
      next_cursor,
    };
  },
});
