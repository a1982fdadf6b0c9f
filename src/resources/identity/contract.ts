/** The caller's identity and the rules that its inbound mail passes. */

import { z } from 'zod';
import { SCOPES } from '../../kernel/caller.ts';
import { handleInput, idOutput, pathId, shownNameInput, shownTextInput, timeOutput } from '../../kernel/fields.ts';
import { field, operation, toolOnly } from '../../kernel/operation.ts';
import { named } from '../../kernel/schema-names.ts';

export const ruleShape = named(
  'MailRule',
  z.object({
    id: idOutput,
    match: z.enum(['exact_email', 'domain']),
    value: z.string(),
    action: z.enum(['allow', 'block']),
  }),
);

const quotaShape = named(
  'QuotaUse',
  z.object({
    sent: z.number().describe('As quotas count them: a reply is a tenth of a send'),
    limit: z.int().nullable().describe('Null: none'),
    resets_at: timeOutput,
  }),
);

/** Quotas are the workspace's. */
export const usageShape = named(
  'Usage',
  z.object({ day: quotaShape, month: quotaShape, sending_state: z.enum(['normal', 'throttled', 'paused']) }),
);

const identityShape = named(
  'Identity',
  z.object({
    id: idOutput,
    handle: z.string(),
    address: z.string(),
    display_name: z.string().nullable(),
    description: z.string().nullable(),
    filter_mode: z.enum(['blacklist', 'whitelist']),
    mailbox_id: idOutput,
    rules: z.array(ruleShape),
    usage: usageShape,
  }),
);

/** Shown beside the address in every recipient's list; a line, no more. */
const displayName = shownNameInput(200).nullable();

export const identityContract = {
  whoami: toolOnly({
    name: 'whoami',
    scope: null,
    summary: 'Says who you are, and what this connection may do.',
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
  get: operation({
    name: 'get_identity',
    method: 'GET',
    path: '/v1/identity',
    scope: 'mail:read',
    summary: 'Who you are: handle, address, filter mode and rules, and what you may still send.',
    input: z.strictObject({}),
    output: identityShape,
    errors: ['no_identity'],
    tool: { none: 'whoami says it.' },
  }),
  update: operation({
    name: 'update_identity',
    activity: 'identity.update',
    method: 'PATCH',
    path: '/v1/identity',
    scope: 'manage',
    summary: 'Changes your handle, display name, description or filter mode.',
    input: z.strictObject({
      handle: handleInput.optional(),
      display_name: displayName.optional(),
      description: shownTextInput(2000).nullable().optional(),
      filter_mode: field({ invalid: 'invalid_filter_mode' }, z.enum(['blacklist', 'whitelist'])).optional(),
    }),
    output: identityShape,
    errors: ['invalid_handle', 'invalid_filter_mode', 'nothing_to_update', 'no_identity', 'handle_taken'],
    tool: { returns: 'your identity as it is now' },
  }),
  listRules: operation({
    name: 'list_rules',
    method: 'GET',
    path: '/v1/identity/rules',
    scope: 'mail:read',
    summary: 'Lists the allow and block rules of your inbound mail.',
    input: z.strictObject({}),
    output: z.object({ rules: z.array(ruleShape) }),
    errors: ['no_identity'],
    tool: { returns: 'rules' },
  }),
  createRule: operation({
    name: 'create_rule',
    activity: 'rule.add',
    method: 'POST',
    path: '/v1/identity/rules',
    scope: 'manage',
    summary: 'Allows or blocks a sender, by address or by domain.',
    input: z.strictObject({
      match: z.enum(['exact_email', 'domain']),
      value: field({ missing: 'invalid_value', invalid: 'invalid_value' }, z.string().max(254)),
      action: z.enum(['allow', 'block']),
    }),
    output: ruleShape,
    statuses: [201],
    errors: ['invalid_value', 'no_identity'],
    tool: { when: 'to let mail in or keep it out', returns: 'the rule', hints: { idempotent: true } },
  }),
  deleteRule: operation({
    name: 'delete_rule',
    activity: 'rule.remove',
    method: 'DELETE',
    path: '/v1/identity/rules/{id}',
    scope: 'manage',
    summary: 'Takes a rule away.',
    input: z.strictObject({ id: pathId<'rule'>('rule_not_found') }),
    output: z.object({ deleted: z.literal(true) }),
    errors: ['rule_not_found'],
    tool: { when: 'with an id that list_rules gives', returns: 'deleted' },
  }),
};
