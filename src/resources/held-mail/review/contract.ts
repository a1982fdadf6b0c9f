/** Held mail for its reviewers, who are persons. No API key can decide. */

import { z } from 'zod';
import {
  cursorInput,
  idOutput,
  limitInput,
  lookedUpInput,
  nextCursor,
  prose,
  timeOutput,
  wholeListInput,
} from '../../../kernel/fields.ts';
import { personOperation } from '../../../kernel/operation.ts';
import { messageShape } from '../../messages/read/contract.ts';
import { REASONS } from '../contract.ts';

/** Lists every recipient of the envelope and of answers under its field, so that none is approved unseen. */
export const heldMailShape = z.object({
  pending_id: idOutput,
  status: z.enum(['pending', 'approved', 'rejected', 'expired']),
  agent: z.string().nullable(),
  sent_by: z.string().nullable().describe("The owner who sends it in the agent's name; null: the agent itself"),
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
  expires_at: timeOutput.nullable().describe('Null: it waits until it is decided'),
  release_at: timeOutput.nullable().describe('When it goes, while its approval can be undone'),
  edited: z.boolean().describe('Whether an owner changed what the agent wrote'),
});

const pendingId = lookedUpInput;
const digestInput = z.string().regex(/^[0-9a-f]{64}$/);
const decisionInput = z.strictObject({
  pending_id: pendingId,
  note: z.string().max(1_000).nullable().default(null).describe('The agent reads it as the reason'),
});

/** The message that a held mail answers. */
const answeredShape = z.object({
  message_id: idOutput,
  direction: z.enum(['in', 'out']),
  from: z.string(),
  subject: z.string(),
  /** The first few thousand characters. */
  text: z.string(),
  authentication: messageShape.shape.authentication,
  created_at: timeOutput,
});

export const reviewContract = {
  list: personOperation({
    workspace: 'optional',
    input: wholeListInput,
    output: z.object({ pending: z.array(heldMailShape) }),
  }),
  /** Shows a held mail with its header and text, and the text of its HTML part where it differs. */
  get: personOperation({
    input: z.strictObject({ pending_id: pendingId }),
    output: heldMailShape.extend({
      headers: z.array(z.object({ name: z.string(), value: z.string() })),
      from: z
        .string()
        .nullable()
        .describe('Null, like the next three, once the mail is decided: its bytes are dropped'),
      digest: z
        .string()
        .nullable()
        .describe('SHA-256 of the envelope and the bytes: a decision on this mail gives it back'),
      size: z.int().nullable(),
      text: z.string().nullable(),
      html_text: z.string().nullable(),
      diff: z.string().nullable().describe('Unified, from what the agent wrote to what an owner made of it'),
      answers: answeredShape.nullable().describe('The mail that it answers, where the mailbox has it'),
    }),
  }),
  /** Lists held mail that was approved, rejected or has expired, the latest decision first. */
  decided: personOperation({
    workspace: 'optional',
    input: z.strictObject({ limit: limitInput(100, 50), cursor: cursorInput }),
    output: z.object({ decided: z.array(heldMailShape), next_cursor: nextCursor }),
  }),
  /** Releases a held mail. It passes the send gate again; where the gate refuses it, failure_reason says why. */
  approve: personOperation({
    activity: 'pending.approve',
    input: decisionInput.extend({
      digest: digestInput.optional().describe('Of what was shown; an owner gives it, so that nothing else is approved'),
    }),
    output: heldMailShape,
  }),
  /** Takes an approval back, until release_at: the mail awaits a decision again. */
  undo: personOperation({
    activity: 'pending.undo',
    input: z.strictObject({ pending_id: pendingId }),
    output: heldMailShape,
  }),
  /** Edits the subject and text of a held mail, and leaves recipients out. Its agent sees the difference. */
  edit: personOperation({
    activity: 'pending.edit',
    input: z.strictObject({
      pending_id: pendingId,
      digest: digestInput,
      subject: prose(z.string().max(998)).optional(),
      text: prose(z.string().min(1).max(1_000_000)).optional().describe('Markdown; the HTML part is rendered from it'),
      remove: z.array(z.string().max(320)).max(1_000).default([]).describe('Addresses of recipients to leave out'),
    }),
    output: heldMailShape,
  }),
  reject: personOperation({
    activity: 'pending.reject',
    input: decisionInput,
    output: heldMailShape,
  }),
};

export type HeldMailView = z.infer<typeof heldMailShape>;
