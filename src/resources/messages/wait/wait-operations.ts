/** Waits for mail; the event of its arrival ends the wait, without polling. */

import type { z } from 'zod';
import type { MailWanted } from '../../../events/wait-for-mail.ts';
import { type AgentCaller, mailboxOf } from '../../../kernel/caller.ts';
import { isoTime, MINUTE, type Millis, SECOND } from '../../../kernel/clock.ts';
import { requireFound } from '../../../kernel/errors.ts';
import type { Call, Handlers } from '../../../kernel/handlers.ts';
import type { MessageId } from '../../../kernel/ids.ts';
import { findLiveTempAddress } from '../../../store/accounts/temp-addresses.ts';
import type { StoredMessage } from '../../../store/mail/messages.ts';
import type { Needs } from '../../needs.ts';
import { requireMessage } from '../lookup.ts';
import type { MessageDetail } from '../read/contract.ts';
import { viewMessage } from '../view.ts';
import { FRESH_MINUTES, MAX_WAIT_SECONDS, WAITED_TEXT_CHARS, type waitOperations } from './contract.ts';

type Input<K extends keyof typeof waitOperations> = z.output<(typeof waitOperations)[K]['input']>;

export type WaitNeeds = Needs<'store' | 'waits' | 'clock'>;

/** Reads a message of the caller's mailbox in full, and marks it read. */
type ReadMessage = (
  caller: AgentCaller,
  input: { id: MessageId; part: 'text'; max_chars: number; offset: number },
  marksRead: true,
) => Promise<MessageDetail>;

/** The links behind numbers in the text; null: none. */
const numberedOf = <L extends { number: number | null }>(links: readonly L[]): L[] | null => {
  const numbered = links.filter(({ number }) => number !== null);
  return numbered.length > 0 ? numbered : null;
};

export const createWaiting = (
  { store, waits, clock }: WaitNeeds,
  readMessage: ReadMessage,
): Handlers<typeof waitOperations> => {
  const view = async (caller: AgentCaller, message: StoredMessage, include: Input<'waitForEmail'>['include']) => {
    const none = { text: null, next_offset: null, codes: null, links: null };
    if (include.length === 0) return { ...viewMessage(message), ...none };
    const input = { id: message.id, part: 'text', max_chars: WAITED_TEXT_CHARS, offset: 0 } as const;
    const { text, next_offset, codes, links } = await readMessage(caller, input, true);
    return {
      ...viewMessage(message),
      unread: false,
      ...none,
      ...(include.includes('text') && { text, next_offset }),
      ...(include.includes('codes') && { codes }),
      ...(include.includes('text') && { links: numberedOf(links) }),
      ...(include.includes('links') && { links }),
    };
  };

  /** A longer time is reduced to the maximum, and the answer says so. */
  const wait = async (
    caller: AgentCaller,
    wanted: MailWanted,
    include: Input<'waitForEmail'>['include'],
    seconds: number,
    { signal }: Call,
  ) => {
    const began = clock.now();
    const timeoutMs = Math.min(seconds, MAX_WAIT_SECONDS) * SECOND;
    const { message, nextSince } = await waits.wait(wanted, { who: caller, timeoutMs, signal });
    return {
      message: message && (await view(caller, message, include)),
      timed_out: message === null,
      next_since: isoTime(nextSince),
      waited_seconds: Math.round((clock.now() - began) / SECOND),
      hint:
        seconds > MAX_WAIT_SECONDS
          ? `A wait of ${seconds} s was taken as one of ${MAX_WAIT_SECONDS} s, the longest: call again with next_since.`
          : null,
    };
  };

  /** @param since for a call without one: mail stored after it counts where it is unread */
  const waitForEmail = (caller: AgentCaller, input: Input<'waitForEmail'>, since: Millis, call: Call) => {
    const { from = null, subject = null, thread_id: threadId = null, include, timeout } = input;
    const told = { mailboxId: mailboxOf(caller), threadId, from, subject };
    const wanted = { ...told, since: input.since ?? since, unreadOnly: input.since === undefined };
    return wait(caller, wanted, include, timeout, call);
  };

  const freshSince = (): Millis => clock.now() - FRESH_MINUTES * MINUTE;

  return {
    waitForEmail: (caller, input, call) => waitForEmail(caller, input, freshSince(), call),

    waitForEmailAt: async (caller, { address, ...input }, call) => {
      if (address === undefined) return waitForEmail(caller, input, freshSince(), call);
      const found = await findLiveTempAddress(store.read, caller.agentId, address, clock.now());
      const { mailboxId, createdAt } = requireFound(found, 'temp_address_not_found_or_expired');
      return waitForEmail({ ...caller, mailboxId }, input, createdAt - 1, call);
    },

    waitForReply: async (caller, { message_id, since = 0, include, timeout_seconds }, call) => {
      const { mailboxId, threadId, createdAt } = await requireMessage(store.read, caller, message_id);
      const seen = Math.max(since, createdAt);
      const wanted = { mailboxId, threadId, from: null, subject: null, since: seen, unreadOnly: false };
      return wait(caller, wanted, include, timeout_seconds, call);
    },
  };
};
