/** Scheduled sends of all agents, which owners see and change. */

import { z } from 'zod';
import {
  cursorInput,
  idOutput,
  limitInput,
  nextCursor,
  pathId,
  timeInput,
  timeOutput,
} from '../../../kernel/fields.ts';
import { OWNER, personOperation } from '../../../kernel/operation.ts';

const bookedShape = z.object({
  scheduled_id: idOutput,
  agent: z.string(),
  subject: z.string(),
  to: z.array(z.string()),
  send_at: timeOutput,
  booked_at: timeOutput,
  sent_by: z.string().nullable().describe("The owner who booked it in the agent's name; null: the agent did"),
});

const id = pathId<'scheduled'>('scheduled_not_found');

export const bookedContract = {
  list: personOperation({
    audience: OWNER,
    input: z.strictObject({ limit: limitInput(50, 200), cursor: cursorInput }),
    output: z.object({ booked: z.array(bookedShape), next_cursor: nextCursor }),
  }),
  /** The recipients and the text of a scheduled send, until it goes. */
  get: personOperation({
    audience: OWNER,
    input: z.strictObject({ scheduled_id: id }),
    output: bookedShape.extend({
      cc: z.array(z.string()),
      bcc: z.array(z.string()),
      body: z.string(),
      has_html: z.boolean().describe('Whether its HTML is not made of the body'),
      filenames: z.array(z.string()),
    }),
  }),
  /** Gives a scheduled send another time. */
  change: personOperation({
    audience: OWNER,
    activity: 'scheduled.change',
    input: z.strictObject({ scheduled_id: id, send_at: timeInput.describe('Up to 30 days ahead') }),
    output: bookedShape,
  }),
  /** Cancels a scheduled send; its agent is told. */
  cancel: personOperation({
    audience: OWNER,
    activity: 'scheduled.cancel',
    input: z.strictObject({ scheduled_id: id }),
    output: z.object({ scheduled_id: idOutput, cancelled: z.literal(true) }),
  }),
};

export type BookedView = z.infer<typeof bookedShape>;
