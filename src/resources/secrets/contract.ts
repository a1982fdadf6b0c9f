/** Secrets of the vault, as the agents that they are granted to read them. Persons make and grant them (manage/). */

import { z } from 'zod';
import { idOutput, pathId, timeOutput } from '../../kernel/fields.ts';
import { operation } from '../../kernel/operation.ts';
import { named } from '../../kernel/schema-names.ts';

export const secretTypeShape = z.enum(['login', 'api_key', 'key_pair', 'ssh_key', 'other']);

const secretEntryShape = named(
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

export const secretsContract = {
  list: operation({
    name: 'list_secrets',
    method: 'GET',
    path: '/v1/secrets',
    scope: 'vault',
    summary: 'Lists your secrets, those that are granted to you, by name, without their values.',
    input: z.strictObject({}),
    output: z.object({ secrets: z.array(secretEntryShape) }),
    errors: ['no_identity'],
    tool: { when: 'to find the id of a secret', returns: 'secrets: id, name, type, tags, has_totp' },
  }),
  get: operation({
    name: 'get_secret',
    activity: 'secret.open',
    method: 'GET',
    path: '/v1/secrets/{id}',
    scope: 'vault',
    summary: 'Opens a secret. Every read is written to the activity log.',
    input: z.strictObject({ id: secretId }),
    output: secretShape,
    errors: OPENING_ERRORS,
    tool: { when: 'only at the moment you need the value', returns: 'secret, whose fields follow its type' },
  }),
  totp: operation({
    name: 'get_totp_code',
    activity: 'secret.totp',
    method: 'GET',
    path: '/v1/secrets/{id}/totp',
    scope: 'vault',
    summary: 'The one-time code, of a login secret, as it is now (RFC 6238).',
    input: z.strictObject({ id: secretId }),
    output: z.object({ code: z.string(), digits: z.int(), period: z.int(), expires_at: timeOutput }),
    errors: [...OPENING_ERRORS, 'no_totp_on_secret'],
    tool: { when: 'for a sign-in that asks for a code', returns: 'code, and expires_at until when it holds' },
  }),
};

export type SecretEntryView = z.infer<typeof secretEntryShape>;
