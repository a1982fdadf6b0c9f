/** The boxes of an installation: the machines with a daemon on one database. All serve; one leads. */

import { z } from 'zod';
import { lookedUpInput, timeOutput } from '../../kernel/fields.ts';
import { OWNER, personOperation } from '../../kernel/operation.ts';

const boxShape = z.object({
  name: z.string().describe('The name of its host'),
  state: z
    .enum(['leading', 'serving', 'standing by'])
    .describe(
      'The leading one sends, and does what is done once for all; standing by: of another version than the data',
    ),
  since: timeOutput.describe('When its daemon connected to the database'),
  silent_seconds: z.int().describe('Since the database last heard from it: more than 10 where it hangs or is cut off'),
  version: z.string(),
  address: z.string().nullable().describe('From which it connects; null: from the machine of the database'),
});

export const boxesContract = {
  /** The boxes of the installation; null where its data is one machine’s, and for whom it is not. */
  list: personOperation({
    audience: OWNER,
    output: z.object({
      boxes: z.array(boxShape).nullable(),
      may_drain: z.boolean().describe('Whether the caller may have the leading one hand over'),
    }),
  }),
  /** Asks the box that leads to end its work, so that another leads. */
  drain: personOperation({
    activity: 'box.drain',
    input: z.strictObject({ box: lookedUpInput.optional().describe('Its name; left out: the one that leads') }),
    output: boxShape,
  }),
};
