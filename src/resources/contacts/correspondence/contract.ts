/** The agents that have exchanged mail with a contact. */

import { z } from 'zod';
import { timeOutput } from '../../../kernel/fields.ts';
import { OWNER, personOperation } from '../../../kernel/operation.ts';
import { contactsContract } from '../contract.ts';

/** Rows read for each direction. */
export const MOST_EXCHANGES = 200;

export const correspondenceContract = {
  /** Lists the agents that have exchanged mail with a contact, and the addresses that it went to or came from. */
  list: personOperation({
    audience: OWNER,
    input: contactsContract.get.input,
    output: z.object({
      exchanges: z.array(
        z.object({
          agent: z.string(),
          address: z.string(),
          wrote_at: timeOutput.nullable().describe('When the agent first wrote to it; null: it has not'),
          has_written: z.boolean().describe('Whether it has written to the agent'),
        }),
      ),
    }),
  }),
};
