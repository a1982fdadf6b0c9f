/** Long work in progress in a workspace, and how far it is. */

import { z } from 'zod';
import { timeOutput } from '../../../kernel/fields.ts';
import { OWNER, personOperation } from '../../../kernel/operation.ts';

export const workContract = {
  /** Lists crawls, imports, exports and backups that are under way, those of commands too. */
  list: personOperation({
    audience: OWNER,
    output: z.object({
      work: z.array(
        z.object({
          kind: z.enum(['crawl', 'import', 'export', 'backup']),
          name: z.string().nullable().describe('Of a crawl: its title or URL; else what is moved; null: all data'),
          since: timeOutput.nullable(),
          done: z.int().describe('Pages, rows, mails'),
          total: z.int().nullable().describe('That are known so far; null: not known'),
        }),
      ),
    }),
  }),
};
