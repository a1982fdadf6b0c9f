/** The caller's identity and the rules that its inbound mail passes. */

import { z } from 'zod';
import { REACHES, SCOPES } from '../../kernel/caller.ts';
import { handleInput, idOutput, pathId, shownNameInput, shownTextInput, timeOutput } from '../../kernel/fields.ts';
import { field, operation, toolOnly } from '../../kernel/operation.ts';
import { named } from '../../kernel/schema-names.ts';
import { agentShape } from '../agents/contract.ts';

export const ruleShape = named(
  'MailRule',
  z.object({
    id: idOutput,
    match: z.enum(['exact_email', 'domain']),
    value: z.string(),
    action: z.enum(['allow', 'block']),
  }),
);

/** A rule as it is set. */
export const ruleInput = z.strictObject({
  match: z.enum(['exact_email', 'domain']),
  value: field({ missing: 'invalid_value', invalid: 'invalid_value' }, z.string().max(254)),
  action: z.enum(['allow', 'block']),
});

const quotaShape = named(
  'QuotaUse',
  z.object({
    sent: z.number().describe('The same as units'),
    mails: z.number().describe('Mails that went, whatever each counts for'),
    units: z.number().describe('As the quota counts them: a reply is a tenth of a send'),
    limit: z.int().nullable().describe('In units. Null: none'),
    resets_at: timeOutput,
  }),
);

/** Quotas are the workspace's. */
export const usageShape = named(
  'Usage',
  z.object({
    day: quotaShape,
    month: quotaShape,
    cold: z
      .object({ sent: z.number(), limit: z.int(), resets_at: timeOutput })
      .nullable()
      .describe('On probation: first mails of today, which replies are not. Null: no such limit'),
    sending_state: z.enum(['normal', 'throttled', 'paused']),
  }),
);

/** An agent's present rights, for its identity and `whoami`. */
const rights = {
  can_send: z
    .object({ now: z.boolean(), reason: z.string().nullable(), hint: z.string() })
    .describe('Whether a first mail would go now; else the reason, as a send has it'),
  held: z.boolean().describe('Whether a person reviews what you send'),
  held_reason: z.string().nullable(),
  scopes: z.array(z.enum(SCOPES)),
  reach: z.enum(REACHES),
  workspace: z.object({ id: idOutput, name: z.string() }),
  claim: z.object({
    state: z.enum(['unclaimed', 'claimed', 'not_needed']),
    claim_by: timeOutput.nullable().describe('The workspace ends then, unless a person claims it. Null: it does not'),
  }),
  mode: z.enum(['local', 'internet']).describe('local: no mail leaves this instance'),
  time: timeOutput.describe('The present, by which send_at is judged'),
  usage: usageShape,
};

export const identityAgentShape = agentShape.pick({
  id: true,
  handle: true,
  address: true,
  display_name: true,
  description: true,
  filter_mode: true,
  mailbox_id: true,
});

const identityShape = named('Identity', identityAgentShape.extend({ rules: z.array(ruleShape), ...rights }));

/** Shown beside the address in every recipient's list, so one line. */
const displayName = shownNameInput(200).nullable();

export const identityContract = {
  whoami: toolOnly({
    name: 'whoami',
    scope: null,
    summary: 'Says who you are, and what this connection may do.',
    output: identityShape.omit({ rules: true }),
    tool: {
      when: 'first',
      returns: 'handle, address, can_send and why not, held, claim, scopes, reach, usage',
      hints: { readOnly: true, idempotent: true },
    },
  }),
  get: operation({
    name: 'get_identity',
    route: 'GET /v1/identity',
    scope: 'mail:read',
    summary: 'Who you are: handle, address, filter mode and rules, and what you may still send.',
    output: identityShape,
    errors: ['no_identity'],
    tool: { none: 'whoami says it.' },
  }),
  update: operation({
    name: 'update_identity',
    activity: 'identity.update',
    route: 'PATCH /v1/identity',
    scope: 'manage',
    summary: 'Changes your handle, display name, description or filter mode.',
    input: z.strictObject({
      handle: handleInput.optional(),
      display_name: displayName.optional(),
      description: shownTextInput(2000).nullable().optional(),
      filter_mode: field({ invalid: 'invalid_filter_mode' }, z.enum(['blacklist', 'whitelist'])).optional(),
    }),
    example: { display_name: 'Ann of Sales' },
    output: identityShape,
    errors: ['nothing_to_update', 'no_identity', 'handle_taken'],
    tool: { returns: 'your identity as it is now' },
  }),
  listRules: operation({
    name: 'list_rules',
    route: 'GET /v1/identity/rules',
    scope: 'mail:read',
    summary: 'Lists your mail rules, which allow or block senders.',
    output: z.object({ rules: z.array(ruleShape) }),
    errors: ['no_identity'],
    tool: { returns: 'rules' },
  }),
  createRule: operation({
    name: 'create_rule',
    activity: 'rule.add',
    route: 'POST /v1/identity/rules',
    scope: 'manage',
    summary: 'Allows or blocks a sender, by address or by domain.',
    input: ruleInput,
    output: ruleShape,
    statuses: [201],
    errors: ['no_identity'],
    tool: { when: 'to let mail in or keep it out', returns: 'the rule', hints: { idempotent: true } },
  }),
  deleteRule: operation({
    name: 'delete_rule',
    activity: 'rule.remove',
    route: 'DELETE /v1/identity/rules/{id}',
    scope: 'manage',
    summary: 'Takes a rule away.',
    input: z.strictObject({ id: pathId<'rule'>('rule_not_found') }),
    output: z.object({ deleted: z.literal(true) }),
    tool: { when: 'with an id that list_rules gives', returns: 'deleted' },
  }),
};
