/** Held mail, as its agent sees it. Decisions are operations of persons (review/). */

import { z } from 'zod';
import { cursorInput, idOutput, limitInput, nextCursor, pathId, timeOutput } from '../../kernel/fields.ts';
import { operation } from '../../kernel/operation.ts';
import { named } from '../../kernel/schema-names.ts';
import { attachmentShape } from '../messages/read/contract.ts';

/** In the description alone: a later version may have more. */
export const REASONS =
  'Why it is held: agent_on_hold, thread_failed_authentication, recipient_failed_authentication, holds_a_secret ' +
  "(a value of the workspace's vault stands in it), secrets_not_checked (the vault's key is missing, so it could not be searched), " +
  'guesses_secrets (a mail of the last 24 hours held a secret that is not granted to the agent)';

const pendingShape = named(
  'PendingSend',
  z.object({
    pending_id: idOutput,
    subject: z.string(),
    to: z.array(z.string()),
    cc: z.array(z.string()),
    bcc: z.array(z.string()),
    reply_to: z.array(z.string()),
    snippet: z.string(),
    attachments: z.array(attachmentShape),
    send_class: z.enum(['reply', 'cold']),
    reason: z.string().describe(REASONS),
    created_at: timeOutput,
  }),
);

const pendingOutcomeShape = named(
  'PendingOutcome',
  z.object({
    pending_id: idOutput,
    status: z.enum(['pending', 'approved', 'rejected', 'expired']),
    subject: z.string(),
    to: z.array(z.string()),
    message_id: idOutput.nullable(),
    decision_note: z.string().nullable(),
    failure_reason: z.string().nullable(),
    decided_at: timeOutput.nullable(),
  }),
);

export const heldMailContract = {
  listPending: operation({
    name: 'list_pending',
    method: 'GET',
    path: '/v1/messages/pending',
    scope: 'mail:read',
    summary: 'Lists your mail that waits for a person, newest first.',
    input: z.strictObject({ limit: limitInput(100, 20), cursor: cursorInput }),
    output: z.object({ pending: z.array(pendingShape), next_cursor: nextCursor }),
    errors: [],
    tool: { when: 'to see what still waits', returns: 'pending, and next_cursor or null' },
  }),
  getPending: operation({
    name: 'get_pending',
    method: 'GET',
    path: '/v1/messages/pending/{id}',
    scope: 'mail:read',
    summary: 'What became of a held mail.',
    input: z.strictObject({ id: pathId<'pending'>('pending_not_found') }),
    output: pendingOutcomeShape,
    errors: ['pending_not_found'],
    tool: {
      when: 'after a send that was held',
      returns: 'status, message_id once it went, decision_note or failure_reason where it did not',
    },
  }),
};
