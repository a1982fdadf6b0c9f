/** Threads of the caller's mailbox. */

import { z } from 'zod';
import { cursorInput, idOutput, limitInput, nextCursor, pathId, timeOutput } from '../../kernel/fields.ts';
import { operation } from '../../kernel/operation.ts';
import { named } from '../../kernel/schema-names.ts';
import { namedAddress, untrustedExcerpt, untrustedText } from '../../kernel/untrusted-fields.ts';
import { messageShape } from '../messages/read/contract.ts';

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

/** "All messages" of a thread, save one that a machine has filled beyond what one reply can hold. */
const MAX_MESSAGES = 5_000;

export const threadsContract = {
  list: operation({
    name: 'list_threads',
    method: 'GET',
    path: '/v1/threads',
    scope: 'mail:read',
    summary: 'Lists your conversations, the most recent first.',
    input: z.strictObject({ limit: limitInput(100, 20), cursor: cursorInput }),
    output: z.object({ threads: z.array(threadItemShape), next_cursor: nextCursor }),
    errors: [],
    tool: { when: 'for an overview by conversation', returns: 'threads and next_cursor or null' },
  }),
  get: operation({
    name: 'get_thread',
    method: 'GET',
    path: '/v1/threads/{id}',
    scope: 'mail:read',
    summary: 'One conversation with its messages, oldest first.',
    input: z.strictObject({
      id: pathId<'thread'>('thread_not_found'),
      limit: limitInput(MAX_MESSAGES, MAX_MESSAGES).describe('Only the latest so many'),
      cursor: cursorInput.describe('`next_cursor`, for the messages before'),
    }),
    output: named(
      'Thread',
      z.object({
        id: idOutput,
        subject: untrustedText(z.string()),
        message_count: z.int(),
        last_message_at: timeOutput,
        messages: z.array(messageShape),
        next_cursor: nextCursor,
      }),
    ),
    errors: ['thread_not_found'],
    tool: {
      when: 'to follow an exchange',
      returns:
        'message_count, the latest messages without their text (get_message has it), and next_cursor to those before',
    },
  }),
};
