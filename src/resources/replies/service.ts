/** Waiting as tools have it: by the event of a mail's arrival, never by asking. */

import type { MailWaits } from '../../events/wait-for-mail.ts';
import { type Caller, mailboxOf } from '../../kernel/caller.ts';
import { isoTime, SECOND } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { MailboxId } from '../../kernel/ids.ts';
import type { Handlers } from '../../kernel/operation.ts';
import { findMessage, type StoredMessage } from '../../store/mail/messages.ts';
import type { Store } from '../../store/store.ts';
import type { MessageView } from '../messages/contract.ts';
import type { waitsContract } from '../waits/contract.ts';
import { MAX_WAIT_SECONDS, type repliesContract } from './contract.ts';

export interface RepliesNeeds {
  store: Store;
  waits: MailWaits;
  viewMessage: (message: StoredMessage) => MessageView;
  /** The wait for the caller's mailbox, as REST has it. */
  waitForEmail: Handlers<typeof waitsContract>['waitForEmail'];
  /** The mailbox of a live disposable address of the caller's; null where it has no such address. */
  findMailbox: (caller: Caller, address: string) => Promise<MailboxId | null>;
}

export const createReplies = (needs: RepliesNeeds): Handlers<typeof repliesContract> => ({
  forEmail: async (caller, { address, ...wanted }, call) => {
    const mailboxId = address === undefined ? caller.mailboxId : await needs.findMailbox(caller, address);
    if (mailboxId === null) throw new ApiError('temp_address_not_found_or_expired');
    return needs.waitForEmail({ ...caller, mailboxId }, wanted, call);
  },

  forReply: async (caller, { message_id, timeout_seconds }, { signal }) => {
    const { store, waits, viewMessage } = needs;
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
