/** The threads and the search of one agent, or of all agents of a workspace, for its owners. */

import { z } from 'zod';
import { agentInput, cursorInput, limitInput, nextCursor } from '../../../kernel/fields.ts';
import { OWNER, personOperation } from '../../../kernel/operation.ts';
import { searchContract } from '../../search/contract.ts';
import { threadItemShape } from '../../threads/contract.ts';

const agent = z.string().describe('Its handle');
export const markedThreadShape = threadItemShape.extend({
  agent,
  archived: z.boolean(),
  doubtful: z.boolean().describe('Of one of its messages, as the next two'),
  bounced: z.boolean(),
  has_files: z.boolean(),
});

const wantedAgent = agentInput.optional().describe('Left out: all');

export const inboxContract = {
  threads: personOperation({
    audience: OWNER,
    input: z.strictObject({
      agent: wantedAgent,
      show: z
        .enum(['open', 'unread', 'doubtful', 'bounced', 'archived', 'all'])
        .default('open')
        .describe('A thread is archived once all its mail is'),
      limit: limitInput(100, 50),
      cursor: cursorInput,
    }),
    output: z.object({
      threads: z.array(markedThreadShape),
      next_cursor: nextCursor.describe('Also of a page that is not full: so many threads are looked at for one'),
    }),
  }),
  /** Searches the mail of all agents together: the best matches, the latest first. */
  search: personOperation({
    audience: OWNER,
    input: z.strictObject({
      agent: wantedAgent,
      q: searchContract.search.input.shape.q,
      limit: limitInput(50, 50),
      cursor: cursorInput,
    }),
    output: z.object({
      hits: z.array(searchContract.search.output.shape.hits.element.extend({ agent })),
      next_cursor: nextCursor.describe('Also of a page that is not full: a search ends after its time'),
    }),
  }),
};
