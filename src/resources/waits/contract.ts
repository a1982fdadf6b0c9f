/** Waiting for mail over a plain request. */

import { z } from 'zod';
import { idInput, timeInput, timeOutput } from '../../kernel/fields.ts';
import { operation } from '../../kernel/operation.ts';
import { messageShape } from '../messages/contract.ts';

/** Below the minute that proxies commonly allow a request without an answer. */
export const MAX_WAIT_SECONDS = 50;

export const waitsContract = {
  waitForEmail: operation({
    name: 'wait_for_message',
    method: 'GET',
    path: '/v1/messages/wait',
    scope: 'mail:read',
    summary: 'Waits for the first mail that comes in and matches; answers at once where one was stored after `since`.',
    input: z.strictObject({
      from: z
        .string()
        .min(1)
        .max(998)
        .optional()
        .describe('The sender: an address, `@domain`, or text of the name, in any letter case'),
      subject: z.string().min(1).max(998).optional().describe('Text in the subject, in any letter case'),
      thread_id: idInput<'thread'>().optional(),
      since: timeInput.optional().describe('Mail stored after it counts, also from before the call; default: now'),
      timeout: z.int().min(0).default(MAX_WAIT_SECONDS).describe(`Seconds, to ${MAX_WAIT_SECONDS}`),
    }),
    output: z.object({ message: messageShape.nullable(), timed_out: z.boolean(), next_since: timeOutput }),
    errors: [],
    tool: { none: 'wait_for_email is the tool, which takes a disposable address too.' },
  }),
};
