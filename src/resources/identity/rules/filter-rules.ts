/** Changes an agent's filter rules, for any caller. */

import { addressKey, parseAddress, parseDomain } from '../../../kernel/address.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { AgentId, NewId } from '../../../kernel/ids.ts';
import { parseId } from '../../../kernel/ids.ts';
import { countRules, deleteRule, insertRule, type Rule } from '../../../store/accounts/rules.ts';
import type { Tx } from '../../../store/store.ts';

export interface RuleNeeds {
  clock: Clock;
  newId: NewId;
}

/** Bounds the list against an agent's endless loop. */
const MAX_RULES = 10_000;

/** @throws ApiError invalid_value, invalid_request */
export const addRule = async (
  { clock, newId }: RuleNeeds,
  tx: Tx,
  agentId: AgentId,
  { match, value, action }: Omit<Rule, 'id'>,
): Promise<Rule> => {
  const canonical = canonicalValue(match, value);
  if (canonical === null) throw new ApiError('invalid_value');
  if ((await countRules(tx.db, agentId)) >= MAX_RULES) {
    throw new ApiError('invalid_request', { hint: `An identity has at most ${MAX_RULES} rules. Delete some.` });
  }
  return insertRule(tx, agentId, { id: newId<'rule'>(), match, value: canonical, action }, clock.now());
};

/** @throws ApiError rule_not_found */
export const removeRule = async (tx: Tx, agentId: AgentId, text: string): Promise<void> => {
  const id = parseId<'rule'>(text);
  const isDeleted = id !== null && (await deleteRule(tx, agentId, id));
  if (!isDeleted) throw new ApiError('rule_not_found');
};

const canonicalValue = (match: Rule['match'], value: string): string | null => {
  const text = value.trim();
  if (match === 'domain') return parseDomain(text.replace(/^@/, ''), 1);
  const address = parseAddress(text);
  return address && addressKey(address);
};

/** A rule as the activity log has it. */
export const ruleDetail = ({ id, match, value, action }: Rule) => ({ rule_id: id, match, value, action });
