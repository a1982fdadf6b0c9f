/** The events of an agent since a position of the event log: each once, in order. */

import { z } from 'zod';
import { cursorInput, limitInput, timeOutput } from '../../kernel/fields.ts';
import { operation } from '../../kernel/operation.ts';
import { named } from '../../kernel/schema-names.ts';
import { namedAddress, untrustedExcerpt, untrustedText } from '../../kernel/tools/untrusted-fields.ts';
import { MAX_WAIT_SECONDS } from '../messages/wait/contract.ts';

/** The fields of the event's `data` stand beside these. */
const changeShape = named(
  'Change',
  z
    .looseObject({
      id: z.string(),
      at: timeOutput,
      event: z.string(),
      message_id: z.string().nullable(),
      thread_id: z.string().nullable(),
      from: namedAddress(z.string()).optional(),
      to: namedAddress(z.array(z.string())).optional(),
      subject: untrustedText(z.string()).optional(),
      snippet: untrustedExcerpt(z.string()).optional(),
      decision_note: untrustedText(z.string().nullable(), 'others').optional(),
    })
    .describe('Beside these, what the event’s `data` has, as /docs/webhooks lists it'),
);

export const changesContract = {
  list: operation({
    name: 'get_changes',
    route: 'GET /v1/changes',
    scope: 'mail:read',
    summary: 'What happened since the cursor, each once, oldest first: mail, deliveries, decisions, your claim.',
    input: z.strictObject({
      cursor: cursorInput.describe('`next_cursor` of the last call; left out: from now on'),
      limit: limitInput(100, 50),
      wait: z
        .int()
        .min(0)
        .max(MAX_WAIT_SECONDS)
        .default(0)
        .describe('Seconds to wait for a change where there is none'),
    }),
    output: z.object({
      changes: z.array(changeShape),
      next_cursor: z.string().describe('Kept for 38 days'),
      more: z.boolean().describe('Call again at once'),
      hint: z.string().nullable().describe('Where what came before the first call is found'),
    }),
    tool: { when: 'when you come back', returns: 'changes, next_cursor, more', hints: { readOnly: true } },
  }),
};
