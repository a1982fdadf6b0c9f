/** Secrets of the vault: agents open granted ones; persons make, change, grant and remove them. */

import { z } from 'zod';
import { agentInput, idOutput, lineInput, pathId, timeOutput } from '../../kernel/fields.ts';
import { AGENT_AND_OWNER, EVERYONE, operation, personOperation } from '../../kernel/operation.ts';
import { named, sensitive } from '../../kernel/schema-names.ts';

const secretTypeShape = z.enum(['login', 'api_key', 'key_pair', 'ssh_key', 'other']);

export const secretEntryShape = named(
  'SecretEntry',
  z.object({
    id: idOutput,
    name: z.string(),
    type: secretTypeShape,
    tags: z.array(z.string()),
    has_totp: z.boolean(),
    updated_at: timeOutput,
  }),
);

const secretShape = named(
  'Secret',
  secretEntryShape.extend({
    secret: z
      .record(z.string(), z.string())
      .describe(
        'login: username, password, totp_seed; api_key: key, endpoint; key_pair: access_key, secret_key, endpoint; ' +
          'ssh_key: private_key, public_key, passphrase; other: data',
      ),
  }),
);

const secretId = pathId<'secret'>('secret_not_found_or_not_granted');
const OPENING_ERRORS = [
  'secret_not_found_or_not_granted',
  'no_identity',
  'vault_unavailable',
  'secret_unreadable',
] as const;

export const managedSecretShape = z.object({
  id: idOutput,
  workspace_id: idOutput,
  /** The slug. */
  workspace: z.string(),
  name: z.string(),
  type: secretTypeShape,
  tags: z.array(z.string()),
  has_totp: z.boolean(),
  /** 1 at first, one more with each change. */
  version: z.int(),
  /** Handles of the agents that may open it. */
  grants: z.array(z.string()),
  /** Agents among these that may also read the seed of its one-time codes. */
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
const ofSecret = { secret: secretInput };

export const secretsContract = {
  list: operation({
    name: 'list_secrets',
    audience: EVERYONE,
    workspace: 'optional',
    persons: { output: z.object({ secrets: z.array(managedSecretShape) }) },
    route: 'GET /v1/secrets',
    scope: 'vault',
    summary: 'Lists your secrets, those that are granted to you, by name, without their values.',
    output: z.object({ secrets: z.array(secretEntryShape) }),
    errors: ['no_identity'],
    tool: { when: 'to find the id of a secret', returns: 'secrets: id, name, type, tags, has_totp' },
  }),
  get: operation({
    name: 'get_secret',
    audience: AGENT_AND_OWNER,
    activity: 'secret.open',
    route: 'GET /v1/secrets/{id}',
    scope: 'vault',
    summary: 'Opens a secret. Every read is written to the activity log.',
    input: z.strictObject({ id: secretId }),
    output: secretShape,
    errors: OPENING_ERRORS,
    tool: { when: 'only at the moment you need the value', returns: 'secret, whose fields follow its type' },
  }),
  totp: operation({
    name: 'get_totp_code',
    audience: AGENT_AND_OWNER,
    activity: 'secret.totp',
    route: 'GET /v1/secrets/{id}/totp',
    scope: 'vault',
    summary: 'The one-time code, of a login secret, as it is now (RFC 6238).',
    input: z.strictObject({ id: secretId }),
    output: z.object({ code: z.string(), digits: z.int(), period: z.int(), expires_at: timeOutput }),
    errors: [...OPENING_ERRORS, 'no_totp_on_secret'],
    tool: { when: 'for a sign-in that asks for a code', returns: 'code, and expires_at until when it holds' },
  }),
  /** Seals a secret in the vault, and grants it to agents of the workspace. */
  add: personOperation({
    workspace: 'required',
    activity: 'secret.add',
    input: z.strictObject({
      name: lineInput(200),
      type: secretTypeShape,
      tags: tagsInput.default([]),
      grants: z.array(agentInput).max(MAX_GRANTS).default([]),
      value: valueInput,
    }),
    output: sealedSecretShape,
  }),
  /** Seals another value in the place of the one there is, and other tags where they are given; or tags alone. */
  change: personOperation({
    workspace: 'optional',
    activity: 'secret.change',
    input: z.strictObject({ ...ofSecret, tags: tagsInput.optional(), value: valueInput.optional() }),
    output: sealedSecretShape,
  }),
  /** Lets an agent of the workspace open a secret. The seed of its one-time codes is shown only with with_seed. */
  grant: personOperation({
    workspace: 'optional',
    activity: 'secret.grant',
    input: z.strictObject({ ...ofSecret, agent: agentInput, with_seed: z.boolean().default(false) }),
    output: managedSecretShape,
  }),
  /** Takes a secret from an agent, which may have read it until now. */
  ungrant: personOperation({
    workspace: 'optional',
    activity: 'secret.ungrant',
    input: z.strictObject({ ...ofSecret, agent: agentInput }),
    output: managedSecretShape,
  }),
  remove: personOperation({
    workspace: 'optional',
    activity: 'secret.remove',
    input: z.strictObject(ofSecret),
    output: z.object({ id: idOutput, name: z.string(), removed: z.literal(true) }),
  }),
};

export type SealedSecretView = z.infer<typeof sealedSecretShape>;
export type ManagedSecretView = z.infer<typeof managedSecretShape>;
