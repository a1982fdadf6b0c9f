/** Secrets, as owners and the operator make, change, grant and remove them. None of these shows a value. */

import { z } from 'zod';
import { agentInput, idOutput, lineInput, REACH_ERRORS, timeOutput, workspaceInput } from '../../../kernel/fields.ts';
import { personOperation, sensitive } from '../../../kernel/operation.ts';
import { secretTypeShape } from '../contract.ts';

const managedSecretShape = z.object({
  id: idOutput,
  workspace_id: idOutput,
  /** Its slug. */
  workspace: z.string(),
  name: z.string(),
  type: secretTypeShape,
  tags: z.array(z.string()),
  has_totp: z.boolean(),
  /** 1 at first, one more with each change. */
  version: z.int(),
  /** Handles of the agents that may open it. */
  grants: z.array(z.string()),
  /** Of these, the agents that may read the seed of its one-time codes too. */
  seed_grants: z.array(z.string()),
  created_at: timeOutput,
  updated_at: timeOutput,
});

/** What sealing a value answers. */
const sealedSecretShape = managedSecretShape.extend({
  not_guarded: z
    .array(z.string())
    .describe('Fields that are secret, but too short for the leak guard: under 8 bytes without white space'),
});

const MAX_TAGS = 20;
const MAX_GRANTS = 100;
/** Characters of one field of a value: an RSA key of 16,384 bits has 13,000. */
const MAX_FIELD_CHARS = 65_536;

const tagsInput = z.array(lineInput(50)).max(MAX_TAGS);
const valueInput = sensitive(
  z.record(z.string().min(1).max(50), z.string().min(1).max(MAX_FIELD_CHARS)).describe('Its fields follow the type'),
);
/** Its name or id. */
const secretInput = z.string().min(1).max(200);
const ofSecret = { workspace: workspaceInput, secret: secretInput };
const SECRET_ERRORS = [...REACH_ERRORS, 'secret_not_found', 'secret_ambiguous'] as const;

export const manageSecretsContract = {
  list: personOperation({
    name: 'list_workspace_secrets',
    activity: null,
    summary: 'Lists secrets by name, with the agents that may open each; never a value.',
    input: z.strictObject({ workspace: workspaceInput }),
    output: z.object({ secrets: z.array(managedSecretShape) }),
    errors: REACH_ERRORS,
  }),
  add: personOperation({
    name: 'add_secret',
    activity: 'secret.add',
    summary: 'Seals a secret in the vault, and grants it to agents of the workspace.',
    input: z.strictObject({
      workspace: workspaceInput,
      name: lineInput(200),
      type: secretTypeShape,
      tags: tagsInput.default([]),
      grants: z.array(agentInput).max(MAX_GRANTS).default([]),
      value: valueInput,
    }),
    output: sealedSecretShape,
    errors: [...REACH_ERRORS, 'agent_not_found', 'secret_exists', 'secret_limit_reached', 'vault_unavailable'],
  }),
  change: personOperation({
    name: 'change_secret',
    activity: 'secret.change',
    summary:
      'Seals another value in the place of the one there is, and other tags where they are given; or tags alone.',
    input: z.strictObject({ ...ofSecret, tags: tagsInput.optional(), value: valueInput.optional() }),
    output: sealedSecretShape,
    errors: [...SECRET_ERRORS, 'vault_unavailable', 'secret_unreadable'],
  }),
  grant: personOperation({
    name: 'grant_secret',
    activity: 'secret.grant',
    summary:
      'Lets an agent of the workspace open a secret. The seed of its one-time codes is shown only with with_seed.',
    input: z.strictObject({ ...ofSecret, agent: agentInput, with_seed: z.boolean().default(false) }),
    output: managedSecretShape,
    errors: [...SECRET_ERRORS, 'agent_not_found'],
  }),
  ungrant: personOperation({
    name: 'ungrant_secret',
    activity: 'secret.ungrant',
    summary: 'Takes a secret from an agent, which may have read it until now.',
    input: z.strictObject({ ...ofSecret, agent: agentInput }),
    output: managedSecretShape,
    errors: [...SECRET_ERRORS, 'agent_not_found', 'secret_not_granted'],
  }),
  remove: personOperation({
    name: 'remove_secret',
    activity: 'secret.remove',
    summary: 'Removes a secret for good, with its grants.',
    input: z.strictObject(ofSecret),
    output: z.object({ id: idOutput, name: z.string(), removed: z.literal(true) }),
    errors: [...SECRET_ERRORS, 'vault_unavailable'],
  }),
};

export type SealedSecretView = z.infer<typeof sealedSecretShape>;
export type ManagedSecretView = z.infer<typeof managedSecretShape>;
