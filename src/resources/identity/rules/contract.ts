/** Filter rules of an agent's inbound mail, set by a person. */

import { z } from 'zod';
import { agentInput } from '../../../kernel/fields.ts';
import { field, personOperation } from '../../../kernel/operation.ts';
import { ruleShape } from '../contract.ts';

export const rulesContract = {
  list: personOperation({
    name: 'list_agent_rules',
    summary: "Lists the allow and block rules of an agent's inbound mail.",
    input: z.strictObject({ agent: agentInput }),
    output: z.object({ rules: z.array(ruleShape) }),
  }),
  add: personOperation({
    name: 'add_agent_rule',
    activity: 'rule.add',
    summary: 'Allows or blocks a sender of mail to an agent, by address or by domain.',
    input: z.strictObject({
      agent: agentInput,
      match: z.enum(['exact_email', 'domain']),
      value: field({ missing: 'invalid_value', invalid: 'invalid_value' }, z.string().max(254)),
      action: z.enum(['allow', 'block']),
    }),
    output: ruleShape,
  }),
  remove: personOperation({
    name: 'remove_agent_rule',
    activity: 'rule.remove',
    summary: 'Removes a rule of an agent.',
    input: z.strictObject({ agent: agentInput, rule_id: z.string() }),
    output: z.object({ deleted: z.literal(true) }),
  }),
  setMode: personOperation({
    name: 'set_agent_filter_mode',
    activity: 'identity.update',
    summary: 'Sets whether an agent takes mail from all senders but those blocked, or from those allowed alone.',
    input: z.strictObject({ agent: agentInput, filter_mode: z.enum(['blacklist', 'whitelist']) }),
    output: z.object({ agent: z.string(), filter_mode: z.enum(['blacklist', 'whitelist']) }),
  }),
};
