/** What sends take, and what they answer. */

import { z } from 'zod';
import { addressInput, idOutput, timeOutput } from '../../../kernel/fields.ts';
import { parseMediaType } from '../../../kernel/media-type.ts';
import { field } from '../../../kernel/operation.ts';
import { named } from '../../../kernel/schema-names.ts';

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

export type SendResult = z.infer<typeof sendResultShape>;

/** A refused send is a result, not an error; a held or booked one is accepted. */
export const statusOfSend = ({ status }: SendResult): number =>
  ({ sent: 200, held: 202, scheduled: 202, rejected: 422 })[status];

/** 10 MiB of attachments in base64, text and room: what is only a little too large is refused by its reason, not by 413. */
const SEND_BODY_LIMIT = 32 * 1024 * 1024;
/** More than fits a page of text by far, and little enough to render. */
export const MAX_BODY_CHARS = 1_000_000;
/** Above any number that is refused by its reason (too_many_recipients), so that a list costs no memory beyond a bound. */
const MAX_ADDRESSES = 1_000;

export const addressesInput = z.array(addressInput).max(MAX_ADDRESSES);

export const bodyInput = field(
  { missing: 'body_required', invalid: 'body_required' },
  z.string().max(MAX_BODY_CHARS).describe('Markdown or plain text'),
);

const attachmentInput = z.strictObject({
  filename: z.string().min(1).max(255),
  content_type: z
    .string()
    .max(255)
    .refine((text) => text === '' || parseMediaType(text) !== null, 'A media type, as `text/csv; charset=utf-8`')
    .default('application/octet-stream'),
  content_base64: z.base64().describe('The bytes in base64, without a data: prefix'),
});

export type AttachmentInput = z.output<typeof attachmentInput>;

/** What an answer takes beside the message that it answers. */
export const answerFields = {
  body: bodyInput,
  attachments: z.array(attachmentInput).max(10).default([]),
  track_opens: z.boolean().default(false),
};

const answerInput = z.strictObject(answerFields);
export type AnswerInput = z.output<typeof answerInput>;

/** The terms that every send has. */
export const sendReply = {
  output: sendResultShape,
  statuses: [200, 202, 422],
  statusOf: statusOfSend,
  idempotent: true,
  bodyLimit: SEND_BODY_LIMIT,
} as const;

export const SEND_RETURNS = 'status: sent (messageId), held (pendingId), scheduled (scheduled_id) or rejected (reason)';
/** Nothing but a new mail is booked. */
export const ANSWER_RETURNS = 'status: sent (messageId), held (pendingId) or rejected (reason)';
