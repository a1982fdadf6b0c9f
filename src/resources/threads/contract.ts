/** Threads of the caller's mailbox. */

import { z } from 'zod';
import { cursorInput, idOutput, limitInput, nextCursor, pathId, timeOutput } from '../../kernel/fields.ts';
import { operation } from '../../kernel/operation.ts';
import { named } from '../../kernel/schema-names.ts';
import { onDetail } from '../../kernel/tools/tool-fields.ts';
import { namedAddress, untrustedExcerpt, untrustedText } from '../../kernel/tools/untrusted-fields.ts';
import { messageShape } from '../messages/read/contract.ts';
import { linksField } from '../messages/read/links-contract.ts';

export const threadItemShape = named(
  'ThreadItem',
  z.object({
    id: idOutput,
    subject: untrustedText(z.string()),
    snippet: untrustedExcerpt(z.string()),
    participants: namedAddress(z.array(z.string())),
    message_count: z.int(),
    unread_count: z.int(),
    last_message_at: timeOutput,
  }),
);

/** "All messages" of a thread, except one that a program filled beyond the size of a reply. */
const MAX_MESSAGES = 5_000;

/** Messages parsed for one call. */
export const MAX_READ = 50;
const MAX_CHARS = 16_000;

/** Fields from `text` on appear where `include` asks for text. */
const threadMessageShape = messageShape.extend({
  snippet: onDetail(untrustedExcerpt(z.string())),
  text: untrustedText(z.string()).optional(),
  codes: untrustedText(z.array(z.string())).optional(),
  links: linksField.optional(),
  text_chars: onDetail(z.int()).optional(),
  next_offset: z
    .int()
    .nullable()
    .optional()
    .describe('What was cut begins here: get_message with this offset and part'),
});

export const threadsContract = {
  list: operation({
    name: 'list_threads',
    route: 'GET /v1/threads',
    scope: 'mail:read',
    summary: 'Lists your conversations, the most recent first.',
    input: z.strictObject({ limit: limitInput(100, 20), cursor: cursorInput }),
    output: z.object({ threads: z.array(threadItemShape), next_cursor: nextCursor }),
    tool: { when: 'for an overview by conversation', returns: 'threads and next_cursor or null' },
  }),
  get: operation({
    name: 'get_thread',
    route: 'GET /v1/threads/{id}',
    scope: 'mail:read',
    summary: 'One conversation, with its messages, oldest first.',
    input: z.strictObject({
      id: pathId<'thread'>('thread_not_found'),
      limit: limitInput(MAX_MESSAGES, MAX_MESSAGES).describe('The latest so many'),
      cursor: cursorInput.describe('`next_cursor`, for the messages before'),
      include: z
        .enum(['none', 'reply_text', 'text'])
        .default('none')
        .describe(
          `Their text, which marks them read (${MAX_READ} at a time); reply_text is without quotes, save forwards, the first and answers between quotes`,
        ),
      max_chars: z.int().min(1).max(1_000_000).default(MAX_CHARS).describe('Of all texts; the newest come first to it'),
    }),
    output: named(
      'Thread',
      z.object({
        id: idOutput,
        subject: untrustedText(z.string()),
        message_count: z.int(),
        last_message_at: timeOutput,
        messages: z.array(threadMessageShape),
        next_cursor: nextCursor,
      }),
    ),
    tool: {
      when: 'to read an exchange, oldest first; what was cut goes on at next_offset',
      defaults: { include: 'reply_text' },
    },
  }),
};
