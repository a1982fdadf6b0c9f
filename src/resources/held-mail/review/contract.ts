/** Held mail, as the persons who decide about it see it. No API key can decide. */

import { z } from 'zod';
import { idOutput, REACH_ERRORS, timeOutput, workspaceListInput } from '../../../kernel/fields.ts';
import { personOperation } from '../../../kernel/operation.ts';
import { REASONS } from '../contract.ts';

/** Every recipient of the envelope, and of answers, stands under its field, so that none is approved unseen. */
const heldMailShape = z.object({
  pending_id: idOutput,
  status: z.enum(['pending', 'approved', 'rejected', 'expired']),
  agent: z.string().nullable(),
  reason: z.string().describe(REASONS),
  send_class: z.enum(['reply', 'cold']),
  to: z.array(z.string()),
  cc: z.array(z.string()),
  bcc: z.array(z.string()),
  reply_to: z.array(z.string()),
  subject: z.string(),
  snippet: z.string(),
  attachments: z.array(z.object({ filename: z.string(), contentType: z.string(), size: z.int() })),
  html_differs: z.boolean(),
  secrets: z
    .array(z.object({ name: z.string(), where: z.array(z.string()) }))
    .describe('Of a mail with the reason holds_a_secret: secrets by name, and the parts that hold them'),
  message_id: idOutput.nullable(),
  decision_note: z.string().nullable(),
  failure_reason: z.string().nullable(),
  decided_by: z.string().nullable(),
  decided_at: timeOutput.nullable(),
  created_at: timeOutput,
  expires_at: timeOutput,
});

const pendingId = z.string();
const decisionInput = z.strictObject({
  pending_id: pendingId,
  note: z.string().nullable().default(null).describe('The agent reads it as the reason'),
});
const DECISION_ERRORS = ['held_mail_not_found', 'held_mail_already_decided'] as const;

export const reviewContract = {
  list: personOperation({
    name: 'list_held_mail',
    activity: null,
    summary: 'Lists mail that is held for a decision, newest first.',
    input: workspaceListInput,
    output: z.object({ pending: z.array(heldMailShape) }),
    errors: REACH_ERRORS,
  }),
  get: personOperation({
    name: 'get_held_mail',
    activity: null,
    summary: 'Shows a held mail with its header and text, and the text of its HTML part where it differs.',
    input: z.strictObject({ pending_id: pendingId }),
    output: heldMailShape.extend({
      headers: z.array(z.object({ name: z.string(), value: z.string() })),
      /** Null once the mail is decided: its bytes are dropped. */
      text: z.string().nullable(),
      html_text: z.string().nullable(),
    }),
    errors: ['held_mail_not_found'],
  }),
  approve: personOperation({
    name: 'approve_held_mail',
    activity: 'pending.approve',
    summary: 'Releases a held mail. It passes the send gate again, whose refusal is its failure_reason.',
    input: decisionInput,
    output: heldMailShape,
    errors: DECISION_ERRORS,
  }),
  reject: personOperation({
    name: 'reject_held_mail',
    activity: 'pending.reject',
    summary: 'Discards a held mail.',
    input: decisionInput,
    output: heldMailShape,
    errors: DECISION_ERRORS,
  }),
};

export type HeldMailView = z.infer<typeof heldMailShape>;
