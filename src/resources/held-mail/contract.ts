/** Held mail, as its agent sees it. Decisions are operations of persons (review/). */

import { z } from 'zod';
import { cursorInput, idOutput, limitInput, nextCursor, pathId, timeOutput } from '../../kernel/fields.ts';
import { operation, toolOnly } from '../../kernel/operation.ts';
import { named } from '../../kernel/schema-names.ts';
import { untrustedExcerpt, untrustedText } from '../../kernel/tools/untrusted-fields.ts';
import { attachmentShape } from '../messages/read/contract.ts';
import { MAX_WAIT_SECONDS } from '../messages/wait/contract.ts';

/** Listed in the description only: a later version may have more. */
export const REASONS =
  'Why it is held: agent_on_hold, guarded (mail that failed authentication is in the thread or named a recipient), holds_a_secret ' +
  "(a value of the workspace's vault stands in it), secrets_not_checked (the vault's key is missing, so it could not be searched), " +
  'guesses_secrets (a mail of the last 24 hours held a secret that is not granted to the agent), ' +
  'endpoint_waits (a webhook endpoint of a held agent: it hears nothing before a person allows it)';

const hintOutput = z.string().nullable().describe('What to do about the reason');

const STATUS = z.enum(['pending', 'approved', 'rejected', 'expired']);

const waitingFields = {
  expires_at: timeOutput.nullable().describe('Null: it waits until it is decided'),
  approval_url: z.string(),
};

export const pendingShape = named(
  'PendingSend',
  z.object({
    pending_id: idOutput,
    subject: untrustedText(z.string(), 'you'),
    to: z.array(z.string()),
    cc: z.array(z.string()),
    bcc: z.array(z.string()),
    reply_to: z.array(z.string()),
    snippet: untrustedExcerpt(z.string(), 'you'),
    attachments: z.array(attachmentShape),
    send_class: z.enum(['reply', 'cold']),
    reason: z.string().describe(REASONS),
    hint: hintOutput,
    ...waitingFields,
    created_at: timeOutput,
  }),
);

export const pendingOutcomeShape = named(
  'PendingOutcome',
  z.object({
    pending_id: idOutput,
    reason: z.string(),
    ...waitingFields,
    status: STATUS,
    subject: untrustedText(z.string(), 'you'),
    to: z.array(z.string()),
    message_id: idOutput.nullable(),
    decision_note: z.string().nullable(),
    failure_reason: z.string().nullable(),
    hint: hintOutput,
    decided_at: timeOutput.nullable(),
    edited: z.boolean(),
    diff: untrustedText(z.string().nullable().describe('What a person edited, unified'), 'you'),
  }),
);

const id = pathId<'pending'>('pending_not_found');

export const heldMailContract = {
  listPending: operation({
    name: 'list_pending',
    route: 'GET /v1/messages/pending',
    scope: 'mail:read',
    summary: 'Lists your held mail, which waits for a person, newest first.',
    input: z.strictObject({ limit: limitInput(100, 20), cursor: cursorInput }),
    output: z.object({ pending: z.array(pendingShape), next_cursor: nextCursor }),
    tool: { returns: 'pending, and next_cursor or null' },
  }),
  getPending: operation({
    name: 'get_pending',
    route: 'GET /v1/messages/pending/{id}',
    scope: 'mail:read',
    summary: 'What became of a held mail; with wait, once it is decided.',
    input: z.strictObject({
      id,
      wait: z.int().min(0).default(0).describe(`Seconds, to ${MAX_WAIT_SECONDS}`),
    }),
    output: pendingOutcomeShape,
    tool: {
      when: 'after a send that was held',
      returns: 'status, message_id once it went, else decision_note or failure_reason; diff where edited',
    },
  }),
  waitForDecision: toolOnly({
    name: 'wait_for_decision',
    scope: 'mail:read',
    summary: 'Waits for a decision: until a person decides on a held mail.',
    input: z.strictObject({
      pending_id: id,
      timeout_seconds: z.int().min(0).default(MAX_WAIT_SECONDS).describe(`At most ${MAX_WAIT_SECONDS}`),
    }),
    output: pendingOutcomeShape,
    tool: {
      when: 'after a send that was held; call again while status is pending',
      returns: 'the same as get_pending',
      hints: { readOnly: true, idempotent: true },
    },
  }),
  cancelPending: operation({
    name: 'cancel_pending',
    route: 'DELETE /v1/messages/pending/{id}',
    scope: 'mail:send',
    summary: 'Withdraws a held mail, if no person has decided on it yet.',
    input: z.strictObject({ id }),
    output: z.object({ pending_id: idOutput, cancelled: z.boolean(), status: STATUS }),
    statuses: [200, 409],
    statusOf: ({ cancelled }) => (cancelled ? 200 : 409),
    tool: { when: 'where it should not go any more', returns: 'cancelled: false where it is too late' },
  }),
};
