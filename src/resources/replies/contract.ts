/** Waiting for the answer to a message; a tool alone. */

import { z } from 'zod';
import { idInput, timeOutput } from '../../kernel/fields.ts';
import { field, toolOnly } from '../../kernel/operation.ts';
import { messageShape } from '../messages/contract.ts';

/** Clients give a call up after a minute. */
export const MAX_WAIT_SECONDS = 50;

/** A longer time is taken as the longest. */
const timeoutInput = z.int().min(0).default(MAX_WAIT_SECONDS).describe(`At most ${MAX_WAIT_SECONDS}`);

export const repliesContract = {
  forReply: toolOnly({
    name: 'wait_for_reply',
    scope: 'mail:read',
    summary: 'Waits until a mail comes in the thread of a message, after that message.',
    input: z.strictObject({
      message_id: field({ invalid: 'message_not_found' }, idInput<'message'>()),
      timeout_seconds: timeoutInput,
    }),
    output: z.object({ message: messageShape.nullable(), timed_out: z.boolean(), next_since: timeOutput }),
    errors: ['message_not_found'],
    tool: {
      when: 'after a send, with its messageId; call again where it timed out',
      returns: 'message or null, timed_out, and next_since for wait_for_email',
      hints: { readOnly: true, idempotent: true },
    },
  }),
};
