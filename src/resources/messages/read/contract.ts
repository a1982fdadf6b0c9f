/** Reading, archiving and deleting the mail of a mailbox: the interface's sections 2 and 4. */

import { z } from 'zod';
import type { Address } from '../../../kernel/address.ts';
import type { AgentCaller, Via } from '../../../kernel/caller.ts';
import {
  cursorInput,
  idInput,
  idOutput,
  limitInput,
  nextCursor,
  pathId,
  timeInput,
  timeOutput,
} from '../../../kernel/fields.ts';
import { bytesReply, operation, toolOnly } from '../../../kernel/operation.ts';
import { named } from '../../../kernel/schema-names.ts';
import { SENDER_WANTED } from '../../../kernel/text/sender-match.ts';
import { onDetail } from '../../../kernel/tools/tool-fields.ts';
import { namedAddress, untrustedExcerpt, untrustedText } from '../../../kernel/tools/untrusted-fields.ts';
import { deliveriesField } from './deliveries-contract.ts';
import { linksField } from './links-contract.ts';

export const attachmentShape = named(
  'Attachment',
  z.object({
    id: z.string().describe('Taken in place of the filename'),
    filename: untrustedText(z.string()),
    contentType: z.string(),
    size: z.int(),
    content_id: onDetail(untrustedText(z.string().nullable())),
  }),
);

/** Whether the stated author wrote the mail, as far as the checks show. */
const inOneWord = ({ spf, dkim, dmarc, aligned }: Record<'spf' | 'dkim' | 'dmarc', string> & { aligned: boolean }) => {
  if (aligned) return 'aligned';
  return [spf, dkim, dmarc].some((word) => word.endsWith('fail')) ? 'failed' : 'none';
};

export const messageShape = named(
  'Message',
  z.object({
    id: idOutput,
    thread_id: idOutput.nullable(),
    direction: z.enum(['in', 'out']),
    from: namedAddress(z.string()),
    to: namedAddress(z.array(z.string())),
    cc: namedAddress(z.array(z.string())),
    reply_to: namedAddress(z.array(z.string()).describe('Where answers are to go; empty: to `from`')),
    reply_to_differs: z.boolean().describe('An answer goes to another domain than that of `from`'),
    subject: untrustedText(z.string()),
    snippet: untrustedExcerpt(z.string()),
    unread: z.boolean(),
    archived: z.boolean(),
    status: z.enum(['received', 'sent', 'delivered', 'bounced', 'complained']),
    spam_verdict: onDetail(z.enum(['PASS', 'FAIL', 'UNKNOWN']).nullable(), (verdict) =>
      verdict === 'FAIL' ? verdict : undefined,
    ),
    authentication: onDetail(
      z
        .object({
          spf: z.string(),
          dkim: z.string(),
          dmarc: z.string(),
          arc: z.string(),
          from_domain: z.string().nullable(),
          aligned: z.boolean().describe('Whether a check that passed is of the domain of `from`'),
        })
        .nullable(),
      (checked) => (checked === null ? undefined : inOneWord(checked)),
    ),
    attachments: z.array(attachmentShape),
    rfc_message_id: onDetail(untrustedText(z.string().nullable())),
    in_reply_to: onDetail(untrustedText(z.string().nullable())),
    automatic: z.boolean().describe('A program sent it on its own: a report, a notice of absence, a list'),
    defects: z.array(z.string()).describe('What is wrong with it, or may be read otherwise elsewhere'),
    contact_id: idOutput.nullable().optional().describe('In lists: the contact of the other side'),
    created_at: timeOutput,
  }),
);

export const messageDetailShape = named(
  'MessageDetail',
  messageShape.extend({
    snippet: onDetail(untrustedText(z.string())),
    text: untrustedText(z.string(), 'sender', { argument: 'part', value: 'text', isDefault: true }),
    html: untrustedText(z.string().nullable(), 'sender', { argument: 'part', value: 'html', isDefault: false }),
    reply_text: untrustedText(z.string().describe('Without quoted mail and signature'), 'sender', {
      argument: 'part',
      value: 'reply_text',
      isDefault: false,
    }),
    text_chars: z.int(),
    next_offset: z.int().nullable(),
    headers: onDetail(z.array(z.object({ name: untrustedText(z.string()), value: untrustedText(z.string()) }))),
    codes: untrustedText(z.array(z.string()).describe('One-time codes in its text')),
    links: linksField,
    deliveries: deliveriesField,
    opens: onDetail(z.object({ count: z.int(), first_at: timeOutput.nullable(), last_at: timeOutput.nullable() })),
    contact: z
      .object({ id: idOutput, name: untrustedText(z.string(), 'others') })
      .nullable()
      .describe('Who has the address of the other side, or its domain; null also for a key without the scope contacts'),
  }),
);

const attachmentTextShape = named(
  'AttachmentText',
  z.object({
    filename: untrustedText(z.string()),
    content_type: z.string(),
    size: z.int(),
    text: untrustedText(z.string()),
    text_chars: z.int(),
    next_offset: z.int().nullable(),
    truncated: z.boolean().describe('It has more text than is read'),
  }),
);

export type MessageView = z.infer<typeof messageShape>;
export type MessageDetail = z.infer<typeof messageDetailShape>;

/** Above the longest body that a send takes, so that a sent mail is read in one page. */
const MAX_PAGE_CHARS = 1_000_000;
/** A page of mail for a reader that pays per token. */
const TOOL_TEXT_CHARS = 8_000;

const pageCharsInput = z
  .int()
  .min(1)
  .max(MAX_PAGE_CHARS)
  .optional()
  .describe('At most so many characters of what is read');
const pageOffsetInput = z.int().min(0).default(0).describe('The `next_offset` before');

const messageId = pathId<'message'>('message_not_found');
/** Ids of messages; an unknown one is reported and does not stop the others. */
const idsInput = (most: number) => z.array(z.string().max(100)).min(1).max(most).describe(`At most ${most}`);

export const readOperations = {
  list: operation({
    name: 'list_messages',
    route: 'GET /v1/messages',
    scope: 'mail:read',
    summary: 'Lists your mail, newest first.',
    input: z.strictObject({
      unread_only: z.boolean().default(false),
      thread_id: idInput<'thread'>().optional(),
      include_archived: z.boolean().default(false),
      direction: z.enum(['in', 'out']).optional(),
      from: z.string().min(1).max(998).optional().describe(SENDER_WANTED),
      since: timeInput.optional().describe('Stored then or later'),
      until: timeInput.optional().describe('Stored before it'),
      limit: limitInput(100, 20),
      cursor: cursorInput,
    }),
    output: z.object({ messages: z.array(messageShape), next_cursor: nextCursor }),
    tool: {
      when: 'to see what has come; wait for what is to come',
      returns: 'messages without their text (get_message has it), and next_cursor or null',
    },
  }),
  get: operation({
    name: 'get_message',
    route: 'GET /v1/messages/{id}',
    scope: 'mail:read',
    summary: 'Reads one message in full, and marks it read.',
    input: z.strictObject({
      id: messageId,
      part: z.enum(['text', 'reply_text', 'html']).default('text').describe('reply_text: without quotes'),
      max_chars: pageCharsInput,
      offset: pageOffsetInput,
    }),
    output: messageDetailShape,
    tool: {
      when: 'to read what a list or search has found',
      returns:
        'its fields, the codes and links found, links to its attachments, and that part of it in a block of its own; next_offset where there is more',
      defaults: { max_chars: TOOL_TEXT_CHARS },
      detail: true,
    },
  }),
  getMany: toolOnly({
    name: 'get_messages',
    scope: 'mail:read',
    summary: 'Reads several messages, and marks them read; max_chars is for all of them together.',
    input: z.strictObject({
      ids: idsInput(20),
      part: z.enum(['text', 'reply_text']).default('text').describe('reply_text: without quotes'),
      max_chars: z
        .int()
        .min(1)
        .max(MAX_PAGE_CHARS)
        .default(2 * TOOL_TEXT_CHARS),
    }),
    output: z.object({
      messages: z.array(messageDetailShape),
      not_found: z.array(z.string()),
      not_read: z.array(z.string()).describe('Those that max_chars left no room for'),
    }),
    tool: {
      when: 'in place of several calls of get_message',
      detail: true,
      hints: { readOnly: true, idempotent: true },
    },
  }),
  updateMany: toolOnly({
    name: 'update_messages',
    scope: 'mail:send',
    summary: 'Archives messages, marks them read, or the reverse.',
    input: z.strictObject({ ids: idsInput(100), unread: z.boolean().optional(), archived: z.boolean().optional() }),
    output: z.object({ updated: z.int(), not_found: z.array(z.string()) }),
    tool: { hints: { idempotent: true } },
  }),
  raw: operation({
    name: 'get_raw_message',
    route: 'GET /v1/messages/{id}/raw',
    scope: 'mail:read',
    summary: 'The message as it came or went, as message/rfc822.',
    input: z.strictObject({ id: messageId }),
    output: bytesReply,
    errors: ['raw_message_unavailable'],
    tool: { none: 'Raw MIME is bytes for programs: a resource has it, postroom://messages/{message_id}/raw.' },
  }),
  remove: operation({
    name: 'delete_message',
    activity: 'message.remove',
    route: 'DELETE /v1/messages/{id}',
    scope: 'manage',
    summary: 'Deletes a message for good.',
    input: z.strictObject({ id: messageId }),
    output: z.object({ deleted: z.literal(true) }),
    errors: ['message_in_transit'],
    tool: { when: 'only where it must be gone; archive_message keeps it', returns: 'deleted' },
  }),
  archive: operation({
    name: 'archive_message',
    route: 'POST /v1/messages/{id}/archive',
    scope: 'mail:send',
    summary: 'Archives a message; archived=false restores it, unread=true marks it unread.',
    input: z.strictObject({
      id: messageId,
      archived: z.boolean().optional(),
      unread: z.boolean().optional(),
    }),
    output: z.object({ id: idOutput, archived: z.boolean(), unread: z.boolean() }),
    tool: { when: 'when you are done with it', returns: 'its flags', hints: { idempotent: true } },
  }),
  attachment: operation({
    name: 'get_attachment',
    route: 'GET /v1/messages/{id}/attachments/{filename}',
    scope: 'mail:read',
    summary: 'One attachment: its bytes, or the text of PDF, HTML, Office documents and plain text.',
    input: z.strictObject({
      id: messageId,
      filename: z.string().min(1).max(1000).describe('Or its id'),
      as: z.enum(['text', 'base64']).default('base64').describe('base64: the bytes, which over REST come as they are'),
      max_chars: pageCharsInput,
      offset: pageOffsetInput,
    }),
    output: bytesReply,
    inWords: attachmentTextShape,
    errors: ['attachment_not_found', 'attachment_bytes_missing', 'attachment_not_text', 'message_unreadable'],
    tool: {
      when: 'to read a document, which goes on at next_offset; as base64 for its bytes',
      returns: 'the text; or content_base64 up to 64 KiB, else null and a uri to read as a resource',
      defaults: { as: 'text', max_chars: TOOL_TEXT_CHARS },
    },
  }),
};

/** Fields of sent mail that only persons see: the transport, and the owner who sent it in the agent's name. */
interface SentHow {
  via: Via | null;
  sent_by: Address | null;
}

/** Reads a message in full, for persons too. */
export type ReadMessage = (
  caller: AgentCaller,
  input: z.output<(typeof readOperations)['get']['input']>,
  marksRead: boolean,
) => Promise<MessageDetail & SentHow>;
