/** Waiting for mail: over a plain request, and as tools have it. */

import { z } from 'zod';
import { addressKeyInput, idInput, pathId, timeInput, timeOutput } from '../../../kernel/fields.ts';
import { operation, toolOnly } from '../../../kernel/operation.ts';
import { messageShape } from '../read/contract.ts';

/** Below the minute that proxies and MCP clients commonly allow a request without an answer. */
export const MAX_WAIT_SECONDS = 50;

const SUMMARY =
  'Waits for the first mail that comes in and matches; answers at once where one was stored after `since`.';

const waitInput = z.strictObject({
  from: z.string().min(1).max(998).optional().describe('An address, `@domain`, or text of the name'),
  subject: z.string().min(1).max(998).optional().describe('Text in the subject'),
  thread_id: idInput<'thread'>().optional(),
  since: timeInput.optional().describe('May lie before the call; default: now'),
  timeout: z.int().min(0).default(MAX_WAIT_SECONDS).describe(`Seconds, to ${MAX_WAIT_SECONDS}`),
});
const waitOutput = z.object({ message: messageShape.nullable(), timed_out: z.boolean(), next_since: timeOutput });

export const waitOperations = {
  waitForEmail: operation({
    name: 'wait_for_message',
    method: 'GET',
    path: '/v1/messages/wait',
    scope: 'mail:read',
    summary: SUMMARY,
    input: waitInput,
    output: waitOutput,
    errors: [],
    tool: { none: 'wait_for_email is the tool, which takes a disposable address too.' },
  }),
  waitForEmailAt: toolOnly({
    name: 'wait_for_email',
    scope: 'mail:read',
    summary: SUMMARY,
    input: waitInput.extend({
      address: addressKeyInput('temp_address_not_found_or_expired', z.string().max(320).trim())
        .optional()
        .describe('A disposable address of yours; since brings earlier mail'),
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
  waitForReply: toolOnly({
    name: 'wait_for_reply',
    scope: 'mail:read',
    summary: 'Waits until a mail comes in the thread of a message, after that message.',
    input: z.strictObject({
      message_id: pathId<'message'>('message_not_found'),
      /** A longer time is taken as the longest. */
      timeout_seconds: z.int().min(0).default(MAX_WAIT_SECONDS).describe(`At most ${MAX_WAIT_SECONDS}`),
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
