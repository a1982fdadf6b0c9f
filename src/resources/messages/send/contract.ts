/** Sending, replying and forwarding: the interface's section 4. */

import { z } from 'zod';
import type { NamedAddress } from '../../../kernel/address.ts';
import type { Millis } from '../../../kernel/clock.ts';
import { addressInput, idInput, idOutput, pathId, prose, timeInput, timeOutput } from '../../../kernel/fields.ts';
import { parseMediaType } from '../../../kernel/media-type.ts';
import { field, operation } from '../../../kernel/operation.ts';
import { named } from '../../../kernel/schema-names.ts';
import { untrustedText } from '../../../kernel/tools/untrusted-fields.ts';

export const sendResultShape = named(
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

/** A refused send is a result, not an error; held and scheduled sends are accepted. */
export const statusOfSend = ({ status }: SendResult): number =>
  ({ sent: 200, held: 202, scheduled: 202, rejected: 422 })[status];

/**
 * 10 MiB of attachments in base64, text, and room: a slightly too large mail is refused with a reason instead of 413.
 */
const SEND_BODY_LIMIT = 32 * 1024 * 1024;
/** Far more than a page of text, and still fast to render. */
export const MAX_BODY_CHARS = 1_000_000;
/** Above the limit that the gate refuses with a reason (too_many_recipients); bounds the memory of a list. */
export const MAX_ADDRESSES = 1_000;

const addressesInput = z.array(addressInput).max(MAX_ADDRESSES);

const textInput = () => z.string().max(MAX_BODY_CHARS).describe('Markdown or plain text');
const bodyInput = field({ missing: 'body_required' }, prose(textInput()));
/** The text of an answer, which has nothing beside it. */
const wordsInput = field(
  { missing: 'body_required', null: 'body_required', empty: 'body_required' },
  prose(textInput().refine((text) => text.trim() !== '', 'Text')),
);

/** A multipart has no content of its own: other programs would open a file's octets as further parts. */
const isFileType = (text: string): boolean => {
  const type = parseMediaType(text)?.type;
  return type !== undefined && !type.startsWith('multipart/');
};

export const fileTypeInput = z
  .string()
  .max(255)
  .refine((text) => text === '' || isFileType(text), 'A media type other than multipart, as `text/csv; charset=utf-8`');
export const filenameInput = prose(z.string().min(1).max(255));

/**
 * In lines too, as the program `base64` writes it, or in the alphabet of URLs without padding, as Gmail's API does. Counts
 * the blanks, since a copy of many megabytes without them takes half a second.
 */
const isBase64 = (text: string): boolean => {
  let digits = text.length;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) <= 0x20) digits -= 1;
  const isWhole = text.trimEnd().endsWith('=') ? digits % 4 === 0 : digits % 4 !== 1;
  return isWhole && /^[\w+/\t\n\r -]*(?:=[\t\n\r ]*){0,2}$/.test(text);
};

const attachmentInput = z
  .strictObject({
    filename: filenameInput,
    content_type: fileTypeInput.default('application/octet-stream'),
    content_base64: z
      .stringFormat('base64', isBase64)
      .meta({ contentEncoding: 'base64' })
      .optional()
      .describe('Without a data: prefix'),
    from_message_id: idInput<'message'>().optional().describe('Sends on that attachment of mail you have'),
  })
  .refine(
    ({ content_base64: given, from_message_id: id }) => (given === undefined) !== (id === undefined),
    'Either `content_base64`, or `from_message_id` with the filename or id of an attachment of that message',
  );

export type AttachmentInput = z.output<typeof attachmentInput>;

const dryRunInput = z.boolean().default(false).describe('Only tells the outcome');
const undoInput = z.int().min(0).max(120).default(0).describe('cancel_scheduled takes it back');

export const MAX_FILES = 10;
const attachmentsInput = z.array(attachmentInput).max(MAX_FILES).default([]);

/** Fields of an answer beside the message that it answers. */
const answerFields = {
  body: wordsInput,
  attachments: attachmentsInput,
  track_opens: z.boolean().default(false),
  undo_seconds: undoInput,
  dry_run: dryRunInput,
};

const answerInput = z.strictObject(answerFields);
export type AnswerInput = z.output<typeof answerInput>;

/** Properties of every send. */
const sendReply = {
  output: z.union([sendResultShape, dryRunShape]),
  // Described without the dry run, which a client must ask for.
  described: sendResultShape,
  statuses: [200, 202, 422],
  statusOf: (result: SendResult | DryRunResult) => ('dry_run' in result ? 200 : statusOfSend(result)),
  idempotent: true,
  bodyLimit: SEND_BODY_LIMIT,
} as const;

const SEND_RETURNS = 'status: sent, held, scheduled or rejected; its id, the reason';

/** Errors of the message that is answered, forwarded, or the source of an attachment. */
const ATTACHMENT_ERRORS = [
  'message_not_found',
  'message_unreadable',
  'attachment_not_found',
  'attachment_bytes_missing',
] as const;

const reachesOut = { openWorld: true };
const messageId = pathId<'message'>('message_not_found');

export const sendOperations = {
  send: operation({
    name: 'send_message',
    route: 'POST /v1/messages',
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
    errors: [...ATTACHMENT_ERRORS],
    tool: { when: 'for new mail, now or at send_at', returns: SEND_RETURNS, hints: reachesOut },
  }),
  reply: operation({
    name: 'reply_to_message',
    route: 'POST /v1/messages/{id}/reply',
    scope: 'mail:send',
    summary: 'Replies to the sender alone.',
    input: z.strictObject({ id: messageId, ...answerFields }),
    ...sendReply,
    errors: ['no_recipients', ...ATTACHMENT_ERRORS],
    tool: { when: 'to answer mail', returns: SEND_RETURNS, hints: reachesOut },
  }),
  replyAll: operation({
    name: 'reply_all_to_message',
    route: 'POST /v1/messages/{id}/reply-all',
    scope: 'mail:send',
    summary: 'Replies to all: the sender of a message and everyone else on it.',
    input: z.strictObject({ id: messageId, ...answerFields }),
    ...sendReply,
    errors: ['no_recipients', ...ATTACHMENT_ERRORS],
    tool: { when: 'where all who got it are to have the answer', returns: SEND_RETURNS, hints: reachesOut },
  }),
  forward: operation({
    name: 'forward_message',
    route: 'POST /v1/messages/{id}/forward',
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
    errors: ['raw_message_unavailable', ...ATTACHMENT_ERRORS],
    tool: { when: 'to pass mail on', returns: SEND_RETURNS, hints: reachesOut },
  }),
};

/** A person's further fields of a forward; left out: no further recipients, and the subject unchanged. */
export interface ForwardMore {
  cc?: NamedAddress[];
  bcc?: NamedAddress[];
  subject?: string;
  sendAt?: Millis | undefined;
}
