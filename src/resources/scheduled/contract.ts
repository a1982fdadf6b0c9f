/** Sends that an agent scheduled by `send_at`. */

import { z } from 'zod';
import { cursorInput, idOutput, limitInput, nextCursor, pathId, timeOutput } from '../../kernel/fields.ts';
import { operation } from '../../kernel/operation.ts';
import { named } from '../../kernel/schema-names.ts';
import { untrustedText } from '../../kernel/tools/untrusted-fields.ts';

export const scheduledShape = named(
  'ScheduledSend',
  z.object({
    scheduled_id: idOutput,
    subject: untrustedText(z.string(), 'you'),
    to: z.array(z.string()),
    send_at: timeOutput,
    booked_at: timeOutput,
  }),
);

export const scheduledOutcomeShape = named(
  'ScheduledOutcome',
  z.object({
    scheduled_id: idOutput,
    status: z.enum(['pending', 'sent', 'held', 'failed', 'cancelled']),
    subject: untrustedText(z.string(), 'you'),
    to: z.array(z.string()),
    send_at: timeOutput,
    message_id: idOutput.nullable(),
    pending_id: idOutput.nullable(),
    failure_reason: z.string().nullable(),
    hint: z.string().nullable().describe('What to do about the reason'),
    cancelled_by: z
      .enum(['key_ended', 'connection_ended'])
      .nullable()
      .describe('What booked it has ended; null: cancelled by its agent or an owner, or not at all'),
  }),
);

const cancelledShape = z.object({ scheduled_id: idOutput, cancelled: z.boolean() });

export const scheduledContract = {
  listScheduled: operation({
    name: 'list_scheduled',
    route: 'GET /v1/messages/scheduled',
    scope: 'mail:read',
    summary: 'Lists your scheduled sends, those that have not gone yet, soonest first.',
    input: z.strictObject({ limit: limitInput(100, 20), cursor: cursorInput }),
    output: z.object({ scheduled: z.array(scheduledShape), next_cursor: nextCursor }),
    tool: { when: 'to see what is to go', returns: 'scheduled, and next_cursor or null' },
  }),
  getScheduled: operation({
    name: 'get_scheduled',
    route: 'GET /v1/messages/scheduled/{id}',
    scope: 'mail:read',
    summary: 'What became of a scheduled send, before and after its time.',
    input: z.strictObject({ id: pathId<'scheduled'>('scheduled_not_found') }),
    output: scheduledOutcomeShape,
    tool: { when: 'after a send with send_at', returns: 'status, and message_id, pending_id or failure_reason' },
  }),
  cancelScheduled: operation({
    name: 'cancel_scheduled',
    route: 'DELETE /v1/messages/scheduled/{id}',
    scope: 'mail:send',
    summary: 'Cancels a scheduled send, if it is not on its way yet.',
    input: z.strictObject({ id: pathId<'scheduled'>('scheduled_not_found') }),
    output: z.union([cancelledShape, scheduledOutcomeShape]),
    statuses: [200, 409],
    statusOf: (output) => ('cancelled' in output ? 200 : 409),
    tool: { when: 'before its time', returns: 'cancelled, or its status where it is too late' },
  }),
};
