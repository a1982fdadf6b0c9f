/** Waiting for the answer to a message: by the event of its arrival, never by asking. */

import type { MailWaits } from '../../events/wait-for-mail.ts';
import { mailboxOf } from '../../kernel/caller.ts';
import { isoTime, SECOND } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/operation.ts';
import { findMessage, type StoredMessage } from '../../store/messages.ts';
import type { Store } from '../../store/store.ts';
import type { MessageView } from '../messages/contract.ts';
import { MAX_WAIT_SECONDS, type repliesContract } from './contract.ts';

export interface RepliesNeeds {
  store: Store;
  waits: MailWaits;
  viewMessage: (message: StoredMessage) => MessageView;
}

export const createReplies = ({ store, waits, viewMessage }: RepliesNeeds): Handlers<typeof repliesContract> => ({
  forReply: async (caller, { message_id, timeout_seconds }, { signal }) => {
    const mailboxId = mailboxOf(caller);
    const answered = await findMessage(store.read, mailboxId, message_id);
    if (!answered) throw new ApiError('message_not_found');
    const { threadId, createdAt: since } = answered;
    const { message, nextSince } = await waits.wait(
      { mailboxId, threadId, from: null, subject: null, since },
      { who: caller.keyId, timeoutMs: Math.min(timeout_seconds, MAX_WAIT_SECONDS) * SECOND, signal },
    );
    return {
      message: message && viewMessage(message),
      timed_out: message === null,
      next_since: isoTime(nextSince),
    };
  },
});
