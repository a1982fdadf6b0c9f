/** The activity log, as owners and the operator read it. Nothing but the recorded acts changes it. */

import { z } from 'zod';
import { VIAS } from '../../kernel/caller.ts';
import { cursorInput, idOutput, limitInput, nextCursor, prose, timeInput, timeOutput } from '../../kernel/fields.ts';
import { OPERATOR, personOperation } from '../../kernel/operation.ts';

export const actShape = z.object({
  id: idOutput,
  at: timeOutput,
  /** An agent's handle, an owner's address, `operator` or `postroom`. */
  actor: z.string(),
  action: z.string(),
  subject: z.string(),
  via: z.enum(VIAS),
  detail: z.record(z.string(), z.unknown()),
  mail: z
    .object({
      subject: z.string(),
      agent: z.string().nullable(),
      thread_id: idOutput.nullable(),
      note: z.string().nullable().describe("A person's, of a decision"),
    })
    .nullable()
    .describe('Of the mail that it was about, as long as that is kept: the log itself has no words of mail'),
});

const faultShape = z.object({
  /** Null: the finding concerns the log as a whole. */
  seq: z.int().nullable(),
  fault: z.enum([
    'altered',
    'missing',
    'out_of_chain',
    'wrong_mac',
    'truncated',
    'unexpected',
    'wrong_head',
    'tampered',
  ]),
});

export const activityContract = {
  /** Lists who did what, newest first; the operator sees all workspaces where it names none. */
  list: personOperation({
    workspace: 'optional',
    input: z.strictObject({
      limit: limitInput(500, 50),
      cursor: cursorInput,
      actor: z.string().min(1).max(320).optional(),
      action: z
        .string()
        .max(100)
        .regex(/^[a-z_]+(\.[a-z_]+)?$/)
        .optional()
        .describe('A noun, as `secret`, or a whole action, as `secret.open`'),
      since: timeInput.optional(),
      until: timeInput.optional().describe('Acts before it'),
      q: prose(z.string().trim().min(1).max(200)).optional().describe('Words of the subject or the detail'),
    }),
    output: z.object({ activity: z.array(actShape), next_cursor: nextCursor }),
  }),
  /** Says whether the chain of the activity log is whole: no row altered, removed or moved, no end cut off. */
  verify: personOperation({
    audience: OPERATOR,
    output: z.object({
      ok: z.boolean(),
      rows: z.int(),
      rows_without_mac: z.int(),
      macs_checked: z.boolean(),
      /** A copy kept elsewhere later proves that the log was not replaced by an older one. */
      head: z.object({ seq: z.int(), hash: z.string() }),
      faults: z.array(faultShape),
    }),
  }),
};

export type ActView = z.infer<typeof actShape>;
