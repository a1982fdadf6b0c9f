/** The first steps in the console: a mail to prove that mail arrives, and the list of steps, which can be dismissed. */

import { z } from 'zod';
import { agentInput } from '../../kernel/fields.ts';
import { OWNER, personOperation } from '../../kernel/operation.ts';

export const setUpContract = {
  /** Mails an agent from the instance itself, by the way that all mail takes; its answer goes to the owner. */
  sendTest: personOperation({
    audience: OWNER,
    input: z.strictObject({ agent: agentInput }),
    output: z.object({
      refused: z
        .object({ reason: z.string(), hint: z.string() })
        .nullable()
        .describe('Why it was not sent; null: it was'),
    }),
  }),
  /** Ends the list of first steps for the owner who calls, in every workspace. */
  putAway: personOperation({
    audience: OWNER,
    output: z.object({ away: z.literal(true) }),
  }),
};
