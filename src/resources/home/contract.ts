/** The console's first screen: tasks for the owner, the state of sending, the agents. */

import { z } from 'zod';
import { timeInput, timeOutput } from '../../kernel/fields.ts';
import { OWNER, personOperation } from '../../kernel/operation.ts';

/** A share, from 0 to 1. */
const rate = z.number();

/** A task, in the words of Home, of a push and of a digest. */
const needShape = z.object({
  kind: z.enum(['paused', 'unverified', 'domain', 'webhook', 'throttled', 'over_line', 'held']),
  key: z.string().describe('The same for as long as it stands'),
  title: z.string(),
  body: z.string(),
  path: z.string().describe('Where it is mended, below /console'),
  since: timeOutput.nullable(),
  until: timeOutput.nullable().describe('When it ends by itself: held mail expires'),
});

const heldShape = z.object({ agent: z.string(), count: z.int() });

const dayShape = z.object({
  day: z.iso.date(),
  received: z.int(),
  sent: z.int(),
  delivered: z.int(),
  bounced: z.int(),
  complained: z.int(),
  bounce_rate: rate.describe('Of the 7 days that end with it'),
  complaint_rate: rate,
});

export const healthShape = z.object({
  hosts: z.array(
    z.object({
      organisation: z.string().describe("Of the recipients' addresses; '' for those beyond the bound of a day"),
      ended: z.int(),
      refused: z.int(),
      deferred: z.int().describe('Attempts that were put off'),
      replies: z.array(
        z.object({
          kind: z.enum(['refused', 'deferred']),
          codes: z.string(),
          count: z.int(),
          said: z.string().nullable().describe("The host's own words, of one of them"),
        }),
      ),
    }),
  ),
  agents: z.array(
    z.object({
      agent: z.string(),
      days: z.array(z.object({ sent: z.int(), bounced: z.int(), received: z.int() })),
    }),
  ),
  usage: z.object({
    days: z.array(z.object({ day: z.iso.date(), used: z.number() })),
    month: z.number(),
    forecast: z.number().describe('Of the whole month, at the pace of the last 7 days'),
    included: z.int().nullable(),
  }),
});

const daysInput = z.int().min(7).max(90).default(14);

const agentCountsShape = z.object({
  agent: z.string(),
  unread: z.int(),
  in_today: z.int(),
  out_today: z.int(),
  last_active_at: timeOutput.nullable().describe('When one of its keys was last used'),
});

/** Counts stop here, so that a mailbox with a million unread mails costs no more. */
export const MOST_COUNTED = 1_000;

export const homeContract = {
  /** What needs the owner, the most urgent first. */
  needs: personOperation({
    audience: OWNER,
    output: z.object({
      needs: z.array(needShape),
      /** Mail that waits for a decision, by agent. */
      held: z.array(heldShape),
      /** What was checked, so that an empty list is informative. */
      looked_at: z.object({ domains: z.int(), webhooks: z.int(), agents: z.int() }),
    }),
  }),
  /** Daily counts in UTC, the rates of the last 7 days, and the lines at which sending is slowed and stopped. */
  sending: personOperation({
    audience: OWNER,
    input: z.strictObject({ days: daysInput }),
    output: z.object({
      days: z.array(dayShape),
      rates: z.object({ bounces: rate, complaints: rate, recipients: z.int() }),
      lines: z.object({
        throttle_bounces: rate,
        pause_bounces: rate,
        throttle_complaints: rate,
        pause_complaints: rate,
        minimum_recipients: z.int(),
      }),
    }),
  }),
  /** The health of sending by receiving organisation and by agent, and the use of the quota with its forecast. */
  health: personOperation({
    audience: OWNER,
    input: z.strictObject({ days: daysInput }),
    output: healthShape,
  }),
  /** Unread mail and today's traffic of the 200 agents with the latest mail, each count up to {@link MOST_COUNTED}. */
  agents: personOperation({
    audience: OWNER,
    input: z.strictObject({
      since: timeInput.optional().describe("The beginning of the reader's day; left out, of the UTC day"),
    }),
    output: z.object({ agents: z.array(agentCountsShape) }),
  }),
};

export type NeedView = z.infer<typeof needShape>;
export interface FoundNeeds {
  needs: NeedView[];
  held: z.infer<typeof heldShape>[];
}
export type DayView = z.infer<typeof dayShape>;
