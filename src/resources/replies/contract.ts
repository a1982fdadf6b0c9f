/** Waiting as tools have it: for mail to any address of the agent, for the answer to a message. */

import { z } from 'zod';
import { pathId, timeOutput } from '../../kernel/fields.ts';
import { field, toolOnly } from '../../kernel/operation.ts';
import { messageShape } from '../messages/contract.ts';
import { waitsContract } from '../waits/contract.ts';

/** Clients give a call up after a minute. */
export const MAX_WAIT_SECONDS = 50;

/** A longer time is taken as the longest. */
const timeoutInput = z.int().min(0).default(MAX_WAIT_SECONDS).describe(`At most ${MAX_WAIT_SECONDS}`);

const waitOutput = z.object({ message: messageShape.nullable(), timed_out: z.boolean(), next_since: timeOutput });

export const repliesContract = {
  forEmail: toolOnly({
    name: 'wait_for_email',
    scope: 'mail:read',
    summary: waitsContract.waitForEmail.summary,
    input: waitsContract.waitForEmail.input.extend({
      address: field({ invalid: 'temp_address_not_found_or_expired' }, z.string().max(320))
        .optional()
        .describe('A disposable address of yours instead of your own; for what came before the call, give since'),
    }),
    output: waitOutput,
    errors: ['temp_address_not_found_or_expired'],
    tool: {
      when: 'to wait for mail rather than list in a loop; call again with next_since where it timed out',
      returns: 'message or null, timed_out, and next_since',
      rename: { timeout: 'timeout_seconds' },
      hints: { readOnly: true, idempotent: true },
    },
  }),
  forReply: toolOnly({
    name: 'wait_for_reply',
    scope: 'mail:read',
    summary: 'Waits until a mail comes in the thread of a message, after that message.',
    input: z.strictObject({
      message_id: pathId<'message'>('message_not_found'),
      timeout_seconds: timeoutInput,
    }),
    output: waitOutput,
    errors: ['message_not_found'],
    tool: {
      when: 'after a send, with its messageId; call again where it timed out',
      returns: 'message or null, timed_out, and next_since for wait_for_email',
      hints: { readOnly: true, idempotent: true },
    },
  }),
};
