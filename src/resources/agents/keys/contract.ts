/** API keys of agents. A key is shown once, when it is made. */

import { z } from 'zod';
import { REACHES, SCOPES } from '../../../kernel/caller.ts';
import { agentInput, idOutput, lineInput, lookedUpInput, timeInput, timeOutput } from '../../../kernel/fields.ts';
import { personOperation } from '../../../kernel/operation.ts';
import { endedScheduled } from '../../connections/contract.ts';

export const keyShape = z.object({
  id: idOutput,
  agent_id: idOutput,
  handle: z.string().nullable(),
  name: z.string(),
  /** Null: every scope, also those of later versions. */
  scopes: z.array(z.string()).nullable(),
  reach: z.enum(REACHES),
  created_at: timeOutput,
  last_used_at: timeOutput.nullable(),
  expires_at: timeOutput.nullable(),
  revoked_at: timeOutput.nullable(),
});

export const keysContract = {
  /** Gives an agent a further API key, which is shown this once. */
  add: personOperation({
    activity: 'key.add',
    input: z.strictObject({
      agent: agentInput,
      name: lineInput(100),
      scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length).nullable().default(null).describe('Null: all'),
      reach: z
        .enum(REACHES)
        .default('own')
        .describe("workspace: it also hears, and changes, what the workspace's other agents hear and have made"),
      expires_at: timeInput.nullable().default(null).describe('Null: never'),
    }),
    output: z.object({ id: idOutput, key: z.string() }),
  }),
  /** Lists API keys by name and use, the newest first; the keys themselves are not kept. */
  list: personOperation({
    input: z.strictObject({ agent: agentInput.optional() }),
    output: z.object({ keys: z.array(keyShape) }),
  }),
  revoke: personOperation({
    activity: 'key.revoke',
    input: z.strictObject({ key_id: lookedUpInput }),
    output: keyShape.extend({ scheduled: endedScheduled }),
  }),
};
