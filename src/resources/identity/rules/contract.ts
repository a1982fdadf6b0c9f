/** Filter rules of an agent's inbound mail, set by a person. */

import { z } from 'zod';
import { agentInput, lookedUpInput } from '../../../kernel/fields.ts';
import { personOperation } from '../../../kernel/operation.ts';
import { ruleInput, ruleShape } from '../contract.ts';

export const rulesContract = {
  list: personOperation({
    input: z.strictObject({ agent: agentInput }),
    output: z.object({ rules: z.array(ruleShape) }),
  }),
  /** Allows or blocks a sender of mail to an agent, by address or by domain. */
  add: personOperation({
    activity: 'rule.add',
    input: z.strictObject({ agent: agentInput, ...ruleInput.shape }),
    output: ruleShape,
  }),
  remove: personOperation({
    activity: 'rule.remove',
    input: z.strictObject({ agent: agentInput, rule_id: lookedUpInput }),
    output: z.object({ deleted: z.literal(true) }),
  }),
  /** Sets whether an agent takes mail from all senders but those blocked, or from those allowed alone. */
  setMode: personOperation({
    activity: 'identity.update',
    input: z.strictObject({ agent: agentInput, filter_mode: z.enum(['blacklist', 'whitelist']) }),
    output: z.object({ agent: z.string(), filter_mode: z.enum(['blacklist', 'whitelist']) }),
  }),
};
