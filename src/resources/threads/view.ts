/** Stored threads in the interface's shape, and the order of their list. */

import { isoTime } from '../../kernel/clock.ts';
import { byTimeAndId } from '../../kernel/page.ts';
import type { StoredThread } from '../../store/mail/threads.ts';

export const byLastMessage = byTimeAndId<'thread', StoredThread>(({ lastMessageAt }) => lastMessageAt);

export const viewThread = (thread: StoredThread) => ({
  id: thread.id,
  subject: thread.subject,
  snippet: thread.snippet,
  participants: thread.participants,
  message_count: thread.messageCount,
  unread_count: thread.unreadCount,
  last_message_at: isoTime(thread.lastMessageAt),
});
