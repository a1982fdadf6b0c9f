/** Messages: reading, sending, replying, forwarding. Interface sections 2 and 4. */

import { z } from 'zod';
import {
  addressInput,
  cursorInput,
  idInput,
  idOutput,
  limitInput,
  nextCursor,
  pathId,
  timeInput,
  timeOutput,
} from '../../kernel/fields.ts';
import { parseMediaType } from '../../kernel/media-type.ts';
import { bytesReply, field, operation } from '../../kernel/operation.ts';
import { named } from '../../kernel/schema-names.ts';
import { writtenOutside } from '../../kernel/tool-terms.ts';

export const attachmentShape = named(
  'Attachment',
  z.object({ filename: z.string(), contentType: z.string(), size: z.int(), content_id: z.string().nullable() }),
);

export const messageShape = named(
  'Message',
  z.object({
    id: idOutput,
    thread_id: idOutput.nullable(),
    direction: z.enum(['in', 'out']),
    from: z.string(),
    to: z.array(z.string()),
    cc: z.array(z.string()),
    subject: z.string(),
    snippet: z.string(),
    unread: z.boolean(),
    archived: z.boolean(),
    status: z.enum(['received', 'sent', 'delivered', 'bounced', 'complained']),
    spam_verdict: z.enum(['PASS', 'FAIL', 'UNKNOWN']).nullable(),
    authentication: z
      .object({ spf: z.string(), dkim: z.string(), dmarc: z.string(), from_domain: z.string().nullable() })
      .nullable(),
    attachments: z.array(attachmentShape),
    rfc_message_id: z.string().nullable(),
    in_reply_to: z.string().nullable(),
    created_at: timeOutput,
  }),
);

const deliveryShape = named(
  'Delivery',
  z.object({
    address: z.string(),
    status: z.enum(['queued', 'deferred', 'delivered', 'bounced', 'complained', 'cancelled']),
    code: z.int().nullable(),
    enhanced_code: z.string().nullable(),
    response: z.string().nullable(),
    remote_host: z.string().nullable(),
    tls: z.string().nullable(),
    attempts: z.int(),
    last_attempt_at: timeOutput.nullable(),
    next_attempt_at: timeOutput.nullable(),
  }),
);

export const messageDetailShape = named(
  'MessageDetail',
  messageShape.extend({
    text: writtenOutside(z.string()),
    html: writtenOutside(z.string().nullable(), { shown: false }),
    reply_text: writtenOutside(z.string(), { shown: false }),
    text_chars: z.int(),
    next_offset: z.int().nullable(),
    headers: z.array(z.object({ name: z.string(), value: z.string() })),
    codes: z.array(z.string()),
    links: z.array(z.string()),
    deliveries: z.array(deliveryShape),
    defects: z.array(z.string()),
    opens: z.object({ count: z.int(), first_at: timeOutput.nullable(), last_at: timeOutput.nullable() }),
  }),
);

export const sendResultShape = named(
  'SendResult',
  z.object({
    status: z.enum(['sent', 'held', 'scheduled', 'rejected']),
    messageId: idOutput.optional(),
    pendingId: idOutput.optional(),
    reason: z.string().optional(),
    retryAfter: timeOutput.optional(),
    scheduled_id: idOutput.optional(),
    send_at: timeOutput.optional(),
  }),
);

type SendResult = z.infer<typeof sendResultShape>;

/** A refused send is a result, not an error; a held or booked one is accepted. */
export const statusOfSend = ({ status }: SendResult): number =>
  ({ sent: 200, held: 202, scheduled: 202, rejected: 422 })[status];

/** A page of mail for a reader that pays for each word. */
const TOOL_TEXT_CHARS = 8_000;
const SEND_RETURNS = 'status: sent (messageId), held (pendingId), scheduled (scheduled_id) or rejected (reason)';
const reachesOut = { openWorld: true };

/** 10 MiB of attachments in base64, text and room: what is only a little too large is refused by its reason, not by 413. */
const SEND_BODY_LIMIT = 32 * 1024 * 1024;
/** More than fits a page of text by far, and little enough to render. */
const MAX_BODY_CHARS = 1_000_000;
/** Above any number that is refused by its reason (too_many_recipients), so that a list costs no memory beyond a bound. */
const MAX_ADDRESSES = 1_000;

const attachmentInput = z.strictObject({
  filename: z.string().min(1).max(255),
  content_type: z
    .string()
    .max(255)
    .refine((text) => text === '' || parseMediaType(text) !== null, 'A media type, as `text/csv; charset=utf-8`')
    .default('application/octet-stream'),
  content_base64: z.base64().describe('The bytes in base64, without a data: prefix'),
});

const bodyInput = field(
  { missing: 'body_required', invalid: 'body_required' },
  z.string().max(MAX_BODY_CHARS).describe('Markdown or plain text'),
);
const attachmentsInput = z.array(attachmentInput).max(10).default([]);
const trackOpensInput = z.boolean().default(false);
const messageId = pathId<'message'>('message_not_found');

const sendReply = {
  output: sendResultShape,
  statuses: [200, 202, 422],
  statusOf: statusOfSend,
  idempotent: true,
  bodyLimit: SEND_BODY_LIMIT,
} as const;

export const messagesContract = {
  list: operation({
    name: 'list_messages',
    method: 'GET',
    path: '/v1/messages',
    scope: 'mail:read',
    summary: 'Lists the mail of your mailbox, newest first.',
    input: z.strictObject({
      unread_only: z.boolean().default(false),
      thread_id: idInput<'thread'>().optional(),
      include_archived: z.boolean().default(false),
      limit: limitInput(100, 20),
      cursor: cursorInput,
    }),
    output: z.object({ messages: z.array(messageShape), next_cursor: nextCursor }),
    errors: [],
    tool: {
      when: 'to see what has come; to wait for mail, wait_for_email',
      returns: 'messages without their text (get_message has it), and next_cursor or null',
    },
  }),
  send: operation({
    name: 'send_message',
    method: 'POST',
    path: '/v1/messages',
    scope: 'mail:send',
    summary: 'Sends a mail, or a reply where reply_to_message_id names a message you have.',
    input: z.strictObject({
      to: z.array(addressInput).min(1).max(MAX_ADDRESSES),
      cc: z.array(addressInput).max(MAX_ADDRESSES).default([]),
      subject: z.string().max(998),
      body: bodyInput,
      reply_to_message_id: idInput<'message'>().optional(),
      attachments: attachmentsInput,
      track_opens: trackOpensInput,
      send_at: timeInput.optional().describe('Books the mail for that time, up to 30 days ahead'),
    }),
    ...sendReply,
    errors: ['body_required', 'invalid_email'],
    tool: { when: 'for new mail, now or at send_at', returns: SEND_RETURNS, hints: reachesOut },
  }),
  get: operation({
    name: 'get_message',
    method: 'GET',
    path: '/v1/messages/{id}',
    scope: 'mail:read',
    summary: 'Reads one message in full and marks it read.',
    input: z.strictObject({
      id: messageId,
      max_chars: z.int().min(1).max(MAX_BODY_CHARS).optional().describe('At most so many characters of text'),
      offset: z.int().min(0).default(0).describe('Characters of text to pass over: `next_offset` of the part before'),
    }),
    output: messageDetailShape,
    errors: ['message_not_found'],
    tool: {
      when: 'to read what a list or search has found',
      returns:
        'its fields, the codes and links found, links to its attachments, and its text in a block of its own; next_offset where there is more',
      defaults: { max_chars: TOOL_TEXT_CHARS },
      leaveOut: ['headers'],
    },
  }),
  raw: operation({
    name: 'get_raw_message',
    method: 'GET',
    path: '/v1/messages/{id}/raw',
    scope: 'mail:read',
    summary: 'The message as it came or went, as message/rfc822.',
    input: z.strictObject({ id: messageId }),
    output: bytesReply,
    errors: ['message_not_found', 'raw_message_unavailable'],
    tool: { none: 'Raw MIME is bytes for programs: a resource has it, postroom://messages/{message_id}/raw.' },
  }),
  remove: operation({
    name: 'delete_message',
    method: 'DELETE',
    path: '/v1/messages/{id}',
    scope: 'mail:send',
    summary: 'Deletes a message from your mailbox for good.',
    input: z.strictObject({ id: messageId }),
    output: z.object({ deleted: z.literal(true) }),
    errors: ['message_not_found', 'message_in_transit'],
    tool: { when: 'only where it must be gone; archive_message keeps it', returns: 'deleted' },
  }),
  archive: operation({
    name: 'archive_message',
    method: 'POST',
    path: '/v1/messages/{id}/archive',
    scope: 'mail:send',
    summary: 'Archives a message; archived=false restores it, unread=true marks it unread.',
    input: z.strictObject({
      id: messageId,
      archived: z.boolean().optional(),
      unread: z.boolean().optional(),
    }),
    output: z.object({ id: idOutput, archived: z.boolean(), unread: z.boolean() }),
    errors: ['message_not_found'],
    tool: { when: 'when you are done with it', returns: 'its flags', hints: { idempotent: true } },
  }),
  replyAll: operation({
    name: 'reply_to_message',
    method: 'POST',
    path: '/v1/messages/{id}/reply-all',
    scope: 'mail:send',
    summary: 'Replies to the sender of a message and to everyone else on it.',
    input: z.strictObject({
      id: messageId,
      body: bodyInput,
      attachments: attachmentsInput,
      track_opens: trackOpensInput,
    }),
    ...sendReply,
    errors: ['body_required', 'message_not_found', 'no_recipients'],
    tool: { when: 'to answer mail; for its sender alone, send_message', returns: SEND_RETURNS, hints: reachesOut },
  }),
  forward: operation({
    name: 'forward_message',
    method: 'POST',
    path: '/v1/messages/{id}/forward',
    scope: 'mail:send',
    summary: 'Forwards a message: inline quotes it under your note, wrapped attaches the unaltered original.',
    input: z.strictObject({
      id: messageId,
      to: z.array(addressInput).min(1).max(MAX_ADDRESSES),
      body: bodyInput.default(''),
      mode: z.enum(['inline', 'wrapped']).default('inline'),
    }),
    ...sendReply,
    errors: ['invalid_email', 'message_not_found', 'raw_message_unavailable'],
    tool: { when: 'to pass mail on', returns: SEND_RETURNS, hints: reachesOut },
  }),
  attachment: operation({
    name: 'get_attachment',
    method: 'GET',
    path: '/v1/messages/{id}/attachments/{filename}',
    scope: 'mail:read',
    summary: 'The bytes of one attachment, with its own content type.',
    input: z.strictObject({ id: messageId, filename: z.string().min(1).max(1000) }),
    output: bytesReply,
    errors: ['message_not_found', 'attachment_not_found', 'attachment_bytes_missing'],
    tool: {
      when: 'with a filename that get_message gives',
      returns: 'content_base64 up to 64 KiB, else null and a uri to read as a resource',
    },
  }),
};

export type MessageView = z.infer<typeof messageShape>;
export type MessageDetail = z.infer<typeof messageDetailShape>;
export type { SendResult };
