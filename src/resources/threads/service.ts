import { findContactsOf } from '../../access/contacts-of.ts';
import { readMessagePage } from '../../access/message-page.ts';
import { type AgentCaller, mailboxOf } from '../../kernel/caller.ts';
import { isoTime } from '../../kernel/clock.ts';
import { requireFound } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import type { MessageId } from '../../kernel/ids.ts';
import { readPage } from '../../kernel/page.ts';
import { pageOfText } from '../../kernel/text/text-page.ts';
import { isForwardSubject } from '../../mail/compose/reply-fields.ts';
import type { StoredMessage } from '../../store/mail/messages.ts';
import { listThreadMessages } from '../../store/mail/thread-messages.ts';
import { findThread, listThreads } from '../../store/mail/threads.ts';
import type { ReadMail } from '../../workers/tasks.ts';
import { viewMessage } from '../messages/view.ts';
import type { Needs } from '../needs.ts';
import { MAX_READ, type threadsContract } from './contract.ts';
import { byLastMessage, viewThread } from './view.ts';

export interface ThreadNeeds extends Needs<'store'> {
  /** Handlers of the messages resource. */
  reading: {
    readContent(caller: AgentCaller, message: StoredMessage): Promise<ReadMail>;
    markRead(caller: AgentCaller, id: MessageId): Promise<void>;
  };
}

export const createThreads = ({ store, reading }: ThreadNeeds): Handlers<typeof threadsContract> => {
  /**
   * The newest messages get their text first; those beyond the character limit are not marked read. What a thread's first
   * message and a forward quote stands in no message before it, so these are given whole; so are answers between quotes,
   * which say nothing without their questions.
   */
  const withTexts = async (
    caller: AgentCaller,
    newestFirst: readonly StoredMessage[],
    part: 'text' | 'reply_text',
    maxChars: number,
    first: MessageId | undefined,
  ) => {
    let left = maxChars;
    const messages = [];
    for (const message of newestFirst) {
      const { text, replyText, answersOneByOne, codes, links } = await reading.readContent(caller, message);
      const isWhole = part === 'text' || message.id === first || isForwardSubject(message.subject) || answersOneByOne;
      const page = pageOfText(isWhole ? text : replyText, 0, left);
      const isRead = page.text !== '' || page.text_chars === 0;
      if (message.unread && isRead) await reading.markRead(caller, message.id);
      left -= page.text.length;
      messages.push({ ...viewMessage({ ...message, unread: message.unread && !isRead }), ...page, codes, links });
    }
    return messages;
  };

  return {
    list: async (caller, input) => {
      const { rows, next_cursor } = await readPage(input, byLastMessage, (after, limit) =>
        listThreads(store.read, mailboxOf(caller), after, limit),
      );
      return { threads: rows.map(viewThread), next_cursor };
    },

    get: async (caller, { id, include, max_chars, ...page }) => {
      const thread = requireFound(await findThread(store.read, mailboxOf(caller), id), 'thread_not_found');
      const wanted = include === 'none' ? page : { ...page, limit: Math.min(page.limit, MAX_READ) };
      const { rows, next_cursor } = await readMessagePage(wanted, (before, limit) =>
        listThreadMessages(store.read, id, before, limit),
      );
      const contactOf = await findContactsOf(store.read, caller, rows);
      const first = next_cursor === null ? rows.at(-1)?.id : undefined;
      const read =
        include === 'none' ? rows.map(viewMessage) : await withTexts(caller, rows, include, max_chars, first);
      const messages = read.map((message, at) => ({ ...message, ...(rows[at] && contactOf(rows[at])) }));
      return {
        id,
        subject: thread.subject,
        message_count: thread.messageCount,
        last_message_at: isoTime(thread.lastMessageAt),
        messages: messages.reverse(),
        next_cursor,
      };
    },
  };
};
