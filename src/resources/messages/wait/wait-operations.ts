/** Waiting for mail, woken by the event of its arrival: nothing is polled. */

import type { MailWaits, WaitEnd } from '../../../events/wait-for-mail.ts';
import { mailboxOf } from '../../../kernel/caller.ts';
import { type Clock, isoTime, SECOND } from '../../../kernel/clock.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { Handlers } from '../../../kernel/operation.ts';
import { findLiveTempAddress } from '../../../store/accounts/temp-addresses.ts';
import type { Store } from '../../../store/store.ts';
import { requireMessage } from '../lookup.ts';
import { viewMessage } from '../view.ts';
import { MAX_WAIT_SECONDS, type waitOperations } from './contract.ts';

export interface WaitNeeds {
  store: Store;
  waits: MailWaits;
  clock: Clock;
}

const viewEnd = ({ message, nextSince }: WaitEnd) => ({
  message: message && viewMessage(message),
  timed_out: message === null,
  next_since: isoTime(nextSince),
});

/** A longer time is taken as the longest. */
const toTimeoutMs = (seconds: number) => Math.min(seconds, MAX_WAIT_SECONDS) * SECOND;

export const createWaiting = ({ store, waits, clock }: WaitNeeds): Handlers<typeof waitOperations> => {
  const waitForEmail: Handlers<typeof waitOperations>['waitForEmail'] = async (caller, input, { signal }) => {
    const { from = null, subject = null, thread_id: threadId = null, since = null, timeout } = input;
    const wanted = { mailboxId: mailboxOf(caller), threadId, from, subject, since };
    return viewEnd(await waits.wait(wanted, { who: caller, timeoutMs: toTimeoutMs(timeout), signal }));
  };

  return {
    waitForEmail,

    waitForEmailAt: async (caller, { address, ...wanted }, call) => {
      if (address === undefined) return waitForEmail(caller, wanted, call);
      const found = await findLiveTempAddress(store.read, caller.agentId, address, clock.now());
      if (!found) throw new ApiError('temp_address_not_found_or_expired');
      return waitForEmail({ ...caller, mailboxId: found.mailboxId }, wanted, call);
    },

    waitForReply: async (caller, { message_id, timeout_seconds }, { signal }) => {
      const { mailboxId, threadId, createdAt } = await requireMessage(store.read, caller, message_id);
      const wanted = { mailboxId, threadId, from: null, subject: null, since: createdAt };
      return viewEnd(await waits.wait(wanted, { who: caller, timeoutMs: toTimeoutMs(timeout_seconds), signal }));
    },
  };
};
