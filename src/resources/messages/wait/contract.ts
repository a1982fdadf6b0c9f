/** Waiting for mail: as a plain request, and as tools. */

import { z } from 'zod';
import { addressKeyInput, idInput, pathId, timeInput, timeOutput } from '../../../kernel/fields.ts';
import { operation, toolOnly } from '../../../kernel/operation.ts';
import { named } from '../../../kernel/schema-names.ts';
import { SENDER_WANTED } from '../../../kernel/text/sender-match.ts';
import { untrustedText } from '../../../kernel/tools/untrusted-fields.ts';
import { messageShape } from '../read/contract.ts';
import { linksField } from '../read/links-contract.ts';

/** Below the minute that proxies and MCP clients commonly allow a request without an answer. */
export const MAX_WAIT_SECONDS = 50;

/** Without `since`, unread mail up to this old counts. */
export const FRESH_MINUTES = 60;
/** Characters of the text in a wait's answer; `get_message` continues at `next_offset`. */
export const WAITED_TEXT_CHARS = 8_000;

const SUMMARY = 'Waits for mail that matches. What came shortly before the call and is unread counts.';

const include = z
  .array(z.enum(['text', 'codes', 'links']))
  .max(3)
  .default([])
  .describe('What of its content comes along, which marks it read');

const timeout = z.int().min(0).default(MAX_WAIT_SECONDS).describe(`Seconds, at most ${MAX_WAIT_SECONDS}`);

const waitInput = z.strictObject({
  from: z.string().min(1).max(998).optional().describe(SENDER_WANTED),
  subject: z.string().min(1).max(998).optional().describe('Text in the subject'),
  thread_id: idInput<'thread'>().optional(),
  since: timeInput
    .optional()
    .describe('What was stored after it counts, read or not; else unread mail of the last hour, the oldest first'),
  include,
  timeout,
});

/** Null for parts that `include` did not name. */
const waitedShape = named(
  'WaitedMessage',
  messageShape.extend({
    text: untrustedText(z.string().nullable()),
    next_offset: z.int().nullable().describe('Where the text goes on, for GET /v1/messages/{id}; null: it is whole'),
    codes: untrustedText(z.array(z.string()).nullable()),
    links: linksField.nullable(),
  }),
);

const waitOutput = z.object({
  message: waitedShape.nullable(),
  timed_out: z.boolean(),
  next_since: timeOutput.describe('Give it as `since` for the next: none is passed over'),
  waited_seconds: z.number(),
  hint: z.string().nullable().describe('What a timeout above the limit was taken as'),
});

export const waitOperations = {
  waitForEmail: operation({
    name: 'wait_for_message',
    route: 'GET /v1/messages/wait',
    scope: 'mail:read',
    summary: SUMMARY,
    input: waitInput,
    output: waitOutput,
    tool: { none: 'wait_for_email is the tool, which takes a disposable address too.' },
  }),
  waitForEmailAt: toolOnly({
    name: 'wait_for_email',
    scope: 'mail:read',
    summary: SUMMARY,
    input: waitInput.extend({
      address: addressKeyInput('temp_address_not_found_or_expired', z.string().max(320).trim())
        .optional()
        .describe('A disposable address of yours; all its unread mail counts'),
    }),
    output: waitOutput,
    tool: {
      when: 'for mail that is to come, after what causes it; again with next_since where it timed out',
      returns: 'message or null, timed_out, next_since',
      rename: { timeout: 'timeout_seconds' },
      hints: { readOnly: true, idempotent: true },
    },
  }),
  waitForReply: toolOnly({
    name: 'wait_for_reply',
    scope: 'mail:read',
    summary: 'Waits for a reply: a mail in the thread of a message, after that message.',
    input: z.strictObject({
      message_id: pathId<'message'>('message_not_found'),
      since: timeInput.optional().describe('Passes over what was stored until then'),
      include,
      timeout_seconds: timeout,
    }),
    output: waitOutput,
    tool: {
      when: 'after a send, with its messageId; again with next_since where it timed out, or a notice came before the answer',
      returns: 'message or null, timed_out, next_since',
      hints: { readOnly: true, idempotent: true },
    },
  }),
};
