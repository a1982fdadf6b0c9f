/** Stored threads in the interface's shape, and the order of their list. */

import { viewOf } from '../../access/view-of.ts';
import { byTimeAndId } from '../../kernel/page.ts';
import type { StoredThread } from '../../store/mail/threads.ts';
import { threadItemShape } from './contract.ts';

export const byLastMessage = byTimeAndId<'thread', StoredThread>(({ lastMessageAt }) => lastMessageAt);

export const viewThread = viewOf(threadItemShape);
