/** One agent's day, for its owners. */

import { z } from 'zod';
import { VIAS } from '../../../kernel/caller.ts';
import { agentInput, idOutput, timeInput, timeOutput } from '../../../kernel/fields.ts';
import { OWNER, personOperation } from '../../../kernel/operation.ts';
import { REASONS } from '../../held-mail/contract.ts';
import { messageShape } from '../../messages/read/contract.ts';
import { sentBy } from '../contract.ts';

/** A day of 25 hours, where the clocks change, and one to spare. */
const MOST_HOURS = 26;
/** Entries of each list; the counts include all. */
export const MOST_LISTED = 50;
/** Sends that are looked at for how long the answers took. */
export const MOST_REPLIES = 500;

const total = z.int();

export const agentDayContract = {
  /**
   * Mail of an agent by the hour, its last sends, held mail, secrets that it read and events that woke it: {@link
   * MOST_LISTED} each, the latest first.
   */
  get: personOperation({
    audience: OWNER,
    input: z
      .strictObject({ agent: agentInput, since: timeInput, until: timeInput })
      .refine(
        ({ since, until }) => until > since && until - since <= MOST_HOURS * 3_600_000,
        `\`until\` is after \`since\`, at most ${MOST_HOURS} hours`,
      ),
    output: z.object({
      hours: z.array(z.object({ in: z.int(), out: z.int() })).describe('From `since` on'),
      in: total,
      out: total,
      bounced: z.int().describe('Of those that went out'),
      replied: z
        .object({ mails: z.int(), median_seconds: z.int() })
        .nullable()
        .describe(`Of the last ${MOST_REPLIES} that went out, those that answer mail of the agent; null: none`),
      quota: z
        .object({ sent: z.number(), of_all: z.number(), limit: z.number(), per: z.enum(['day', 'month']) })
        .nullable()
        .describe(
          'Sends of this UTC day or month by the agent and by all of the workspace, a reply as a tenth; null: no quota, or another day is asked for',
        ),
      sends: z.array(
        z.object({
          message_id: idOutput,
          subject: z.string(),
          to: z.array(z.string()),
          status: messageShape.shape.status,
          via: z.enum(VIAS).nullable(),
          sent_by: sentBy,
          at: timeOutput,
        }),
      ),
      holds: z.array(
        z.object({
          pending_id: idOutput,
          subject: z.string(),
          to: z.array(z.string()),
          reason: z.string().describe(REASONS),
          status: z.enum(['pending', 'approved', 'rejected', 'expired']),
          sent_by: sentBy,
          decided_by: z.string().nullable(),
          decided_at: timeOutput.nullable(),
          at: timeOutput,
        }),
      ),
      secrets: z.array(
        z.object({ secret: z.string(), what: z.enum(['opened', 'code']), via: z.enum(VIAS), at: timeOutput }),
      ),
      wakes: z.object({
        woken: z.int().describe('Events that an endpoint took'),
        failed: z.int().describe('Events that none has taken'),
        events: z.array(
          z.object({
            event: z.string(),
            from: z.string().nullable().describe('Of mail that came'),
            taken: z.boolean(),
            at: timeOutput,
          }),
        ),
      }),
    }),
  }),
};
