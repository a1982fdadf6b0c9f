/** Waiting for mail. The caller's mailbox alone is listened to. */

import type { MailWaits } from '../../events/wait-for-mail.ts';
import { mailboxOf } from '../../kernel/caller.ts';
import { isoTime, SECOND } from '../../kernel/clock.ts';
import type { Handlers } from '../../kernel/operation.ts';
import type { StoredMessage } from '../../store/mail/messages.ts';
import type { MessageView } from '../messages/contract.ts';
import { MAX_WAIT_SECONDS, type waitsContract } from './contract.ts';

export interface WaitsNeeds {
  waits: MailWaits;
  viewMessage: (message: StoredMessage) => MessageView;
}

export const createWaits = ({ waits, viewMessage }: WaitsNeeds): Handlers<typeof waitsContract> => ({
  waitForEmail: async (caller, { from, subject, thread_id, since, timeout }, { signal }) => {
    const wanted = {
      mailboxId: mailboxOf(caller),
      threadId: thread_id ?? null,
      from: from ?? null,
      subject: subject ?? null,
      since: since ?? null,
    };
    const timeoutMs = Math.min(timeout, MAX_WAIT_SECONDS) * SECOND;
    const { message, nextSince } = await waits.wait(wanted, { who: caller.keyId, timeoutMs, signal });
    return { message: message && viewMessage(message), timed_out: message === null, next_since: isoTime(nextSince) };
  },
});
