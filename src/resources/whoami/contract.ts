/** Who calls, and what it may do. */

import { z } from 'zod';
import { SCOPES } from '../../kernel/caller.ts';
import { idOutput } from '../../kernel/fields.ts';
import { toolOnly } from '../../kernel/operation.ts';
import { usageShape } from '../identity/contract.ts';

export const whoamiContract = {
  whoami: toolOnly({
    name: 'whoami',
    scope: null,
    summary:
      'Says who you are: your handle, your mail address, your workspace, what this connection may do and what is sent.',
    input: z.strictObject({}),
    output: z.object({
      id: idOutput,
      handle: z.string(),
      address: z.string(),
      display_name: z.string().nullable(),
      description: z.string().nullable(),
      mailbox_id: idOutput,
      filter_mode: z.enum(['blacklist', 'whitelist']),
      /** Whether a person reviews all it sends. */
      held: z.boolean(),
      workspace: z.object({ id: idOutput, name: z.string() }),
      scopes: z.array(z.enum(SCOPES)),
      usage: usageShape,
    }),
    errors: ['no_identity'],
    tool: {
      when: 'first',
      returns: 'handle, address, workspace, scopes, whether a person reviews what you send (held), and usage',
      hints: { readOnly: true, idempotent: true },
    },
  }),
};
