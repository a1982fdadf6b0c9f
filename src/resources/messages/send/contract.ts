/** Sending, replying and forwarding: the interface's section 4. */

import { z } from 'zod';
import { addressInput, idInput, idOutput, pathId, prose, timeInput, timeOutput } from '../../../kernel/fields.ts';
import { parseMediaType } from '../../../kernel/media-type.ts';
import { field, operation } from '../../../kernel/operation.ts';
import { named } from '../../../kernel/schema-names.ts';
import { untrustedText } from '../../../kernel/tools/untrusted-fields.ts';

const sendResultShape = named(
  'SendResult',
  z.object({
    status: z.enum(['sent', 'held', 'scheduled', 'rejected']),
    messageId: idOutput.optional(),
    pendingId: idOutput.optional(),
    reason: z.string().optional().describe('Of rejected and held mail'),
    hint: z.string().optional().describe('Of the same: what to do now'),
    expires_at: timeOutput.optional(),
    approval_url: z.string().optional(),
    retryAfter: timeOutput.optional(),
    scheduled_id: idOutput.optional(),
    send_at: timeOutput.optional(),
    reply_to_differs: z
      .array(z.string())
      .optional()
      .describe('Where the reply went, as Reply-To is of another domain than From'),
    html_changed: z.array(z.string()).optional().describe('What its HTML lost, as /docs/sending lists it'),
  }),
);

export type SendResult = z.infer<typeof sendResultShape>;

const dryRunShape = named(
  'DryRun',
  z.object({
    dry_run: z.literal(true),
    outcome: z.enum(['sent', 'held', 'rejected']),
    reason: z.string().nullable().describe('Null of what would be sent'),
    hint: z.string().nullable(),
    retryAfter: timeOutput.optional(),
    checks: z
      .array(z.object({ name: z.string(), verdict: z.enum(['pass', 'hold', 'reject']) }))
      .describe('Those that a send would run, in their order'),
    send_class: z.enum(['reply', 'cold']),
    units: z.number().describe('What the quotas would count: a reply is a tenth of a send'),
    recipients: z.array(z.string()),
    text: untrustedText(z.string().nullable().describe('Null where it is refused before it is composed'), 'you'),
    html: untrustedText(z.string().nullable(), 'you'),
    html_changed: z.array(z.string()),
    quota_left: z
      .object({ day: z.number().nullable(), month: z.number().nullable() })
      .describe('In sends, before this one; null: no quota'),
  }),
);

export type DryRunResult = z.infer<typeof dryRunShape>;

/** A refused send is a result, not an error; a held or scheduled one is accepted. */
export const statusOfSend = ({ status }: SendResult): number =>
  ({ sent: 200, held: 202, scheduled: 202, rejected: 422 })[status];

/** 10 MiB of attachments in base64, text and room: what is only a little too large is refused by its reason, not by 413. */
const SEND_BODY_LIMIT = 32 * 1024 * 1024;
/** More than fits a page of text by far, and little enough to render. */
const MAX_BODY_CHARS = 1_000_000;
/** Above any number that is refused by its reason (too_many_recipients), so that a list costs no memory beyond a bound. */
const MAX_ADDRESSES = 1_000;

const addressesInput = z.array(addressInput).max(MAX_ADDRESSES);

const textInput = () => z.string().max(MAX_BODY_CHARS).describe('Markdown or plain text');
const bodyInput = field({ missing: 'body_required', invalid: 'body_required' }, prose(textInput()));
/** Of an answer, which has nothing beside it. */
const wordsInput = field(
  { missing: 'body_required', empty: 'body_required' },
  prose(textInput().refine((text) => text.trim() !== '', 'Text')),
);

/** A multipart has no content of its own: other programs would open the octets of the file as further parts. */
const isFileType = (text: string): boolean => {
  const type = parseMediaType(text)?.type;
  return type !== undefined && !type.startsWith('multipart/');
};

const attachmentInput = z
  .strictObject({
    filename: prose(z.string().min(1).max(255)),
    content_type: z
      .string()
      .max(255)
      .refine(
        (text) => text === '' || isFileType(text),
        'A media type other than multipart, as `text/csv; charset=utf-8`',
      )
      .default('application/octet-stream'),
    content_base64: z.base64().optional().describe('Without a data: prefix'),
    from_message_id: idInput<'message'>().optional().describe('Sends on that attachment of mail you have'),
  })
  .refine(
    ({ content_base64: given, from_message_id: id }) => (given === undefined) !== (id === undefined),
    'Either `content_base64`, or `from_message_id` with the filename or id of an attachment of that message',
  );

export type AttachmentInput = z.output<typeof attachmentInput>;

const dryRunInput = z.boolean().default(false).describe('Only tells the outcome');
const undoInput = z.int().min(0).max(120).default(0).describe('cancel_scheduled takes it back');

const attachmentsInput = z.array(attachmentInput).max(10).default([]);

/** What an answer takes beside the message that it answers. */
const answerFields = {
  body: wordsInput,
  attachments: attachmentsInput,
  track_opens: z.boolean().default(false),
  undo_seconds: undoInput,
  dry_run: dryRunInput,
};

const answerInput = z.strictObject(answerFields);
export type AnswerInput = z.output<typeof answerInput>;

/** The terms that every send has. */
const sendReply = {
  output: z.union([sendResultShape, dryRunShape]),
  // A client that asks for no dry run meets none.
  described: sendResultShape,
  statuses: [200, 202, 422],
  statusOf: (result: SendResult | DryRunResult) => ('dry_run' in result ? 200 : statusOfSend(result)),
  idempotent: true,
  bodyLimit: SEND_BODY_LIMIT,
} as const;

const SEND_RETURNS = 'status: sent, held, scheduled or rejected; its id, the reason';

/** Of a message that is answered or forwarded, or that an attachment is taken from. */
const ATTACHMENT_ERRORS = ['message_not_found', 'attachment_not_found', 'attachment_bytes_missing'] as const;

const reachesOut = { openWorld: true };
const messageId = pathId<'message'>('message_not_found');

export const sendOperations = {
  send: operation({
    name: 'send_message',
    method: 'POST',
    path: '/v1/messages',
    scope: 'mail:send',
    summary: 'Sends a mail, or a reply where reply_to_message_id names a message you have.',
    input: z.strictObject({
      to: addressesInput.min(1),
      cc: addressesInput.default([]),
      bcc: addressesInput.default([]).describe('At most 5 recipients in all'),
      reply_to: addressInput.optional().describe('Where answers go'),
      subject: prose(
        z
          .string()
          .trim()
          .min(1)
          .max(998)
          .refine((text) => !/[\r\n]/.test(text), 'One line'),
      ),
      ...answerFields,
      body: bodyInput.optional().describe('Markdown or plain text; may be left out beside html'),
      html: prose(z.string().max(MAX_BODY_CHARS)).optional().describe('See /docs/sending; left out, body is rendered'),
      reply_to_message_id: idInput<'message'>().optional(),
      send_at: timeInput.optional().describe('Up to 30 days ahead'),
    }),
    ...sendReply,
    errors: ['body_required', 'invalid_email', ...ATTACHMENT_ERRORS],
    tool: { when: 'for new mail, now or at send_at', returns: SEND_RETURNS, hints: reachesOut },
  }),
  reply: operation({
    name: 'reply_to_message',
    method: 'POST',
    path: '/v1/messages/{id}/reply',
    scope: 'mail:send',
    summary: 'Replies to the sender alone.',
    input: z.strictObject({ id: messageId, ...answerFields }),
    ...sendReply,
    errors: ['body_required', 'no_recipients', ...ATTACHMENT_ERRORS],
    tool: { when: 'to answer mail', returns: SEND_RETURNS, hints: reachesOut },
  }),
  replyAll: operation({
    name: 'reply_all_to_message',
    method: 'POST',
    path: '/v1/messages/{id}/reply-all',
    scope: 'mail:send',
    summary: 'Replies to all: the sender of a message and everyone else on it.',
    input: z.strictObject({ id: messageId, ...answerFields }),
    ...sendReply,
    errors: ['body_required', 'no_recipients', ...ATTACHMENT_ERRORS],
    tool: { when: 'where all who got it are to have the answer', returns: SEND_RETURNS, hints: reachesOut },
  }),
  forward: operation({
    name: 'forward_message',
    method: 'POST',
    path: '/v1/messages/{id}/forward',
    scope: 'mail:send',
    summary: 'Forwards a message: inline quotes it under your note, wrapped attaches the unaltered original.',
    input: z.strictObject({
      id: messageId,
      to: addressesInput.min(1),
      body: bodyInput.default(''),
      mode: z.enum(['inline', 'wrapped']).default('inline'),
      attachments: attachmentsInput,
      undo_seconds: undoInput,
      dry_run: dryRunInput,
    }),
    ...sendReply,
    errors: ['invalid_email', 'raw_message_unavailable', ...ATTACHMENT_ERRORS],
    tool: { when: 'to pass mail on', returns: SEND_RETURNS, hints: reachesOut },
  }),
};
