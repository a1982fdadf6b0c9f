/** Changes an agent's filter rules, for any caller. */

import { addressKey, parseAddress, parseDomain } from '../../../kernel/address.ts';
import { ApiError, requireFound } from '../../../kernel/errors.ts';
import type { Recorded, RecordingCall } from '../../../kernel/handlers.ts';
import { parseId } from '../../../kernel/ids.ts';
import type { Agent } from '../../../store/accounts/agents.ts';
import { countRules, deleteRule, findRule, insertRule, type Rule } from '../../../store/accounts/rules.ts';
import type { Needs } from '../../needs.ts';

export type RuleNeeds = Needs<'store' | 'clock' | 'newId'>;

/** Bounds the list against an agent's endless loop. */
const MAX_RULES = 10_000;

type Owner = Pick<Agent, 'id' | 'handle' | 'workspaceId'>;

/** @throws ApiError invalid_value, invalid_request */
export const addRule = (
  { store, clock, newId }: RuleNeeds,
  { id: agentId, handle, workspaceId }: Owner,
  { match, value: text, action, byPerson }: Omit<Rule, 'id'>,
  { record }: RecordingCall,
): Promise<Recorded<Rule>> =>
  store.write(async (tx) => {
    const value = canonicalValue(match, text);
    if (value === null) throw new ApiError('invalid_value');
    if ((await countRules(tx.db, agentId)) >= MAX_RULES) {
      throw new ApiError('invalid_request', { hint: `An identity has at most ${MAX_RULES} rules. Delete some.` });
    }
    const id = newId<'rule'>();
    const rule = await insertRule(tx, agentId, { id, match, value, action, byPerson }, clock.now());
    return record(tx, { workspaceId, subject: handle, detail: { rule_id: rule.id, match, value, action } }, rule);
  });

/** @param byPerson whether a person removes it @throws ApiError rule_not_found; insufficient_scope for a person's */
export const removeRule = (
  { store }: RuleNeeds,
  { id: agentId, handle, workspaceId }: Owner,
  { rule: text, byPerson }: { rule: string; byPerson: boolean },
  { record }: RecordingCall,
): Promise<Recorded<{ deleted: true }>> =>
  store.write(async (tx) => {
    const id = parseId<'rule'>(text);
    const rule = requireFound(id && (await findRule(tx.db, agentId, id)), 'rule_not_found');
    if (rule.byPerson && !byPerson) {
      throw new ApiError('insufficient_scope', { hint: 'A person made this rule, and a person alone removes it.' });
    }
    await deleteRule(tx, agentId, rule.id);
    return record(tx, { workspaceId, subject: handle, detail: { rule_id: text } }, { deleted: true });
  });

const canonicalValue = (match: Rule['match'], value: string): string | null => {
  const text = value.trim();
  if (match === 'domain') return parseDomain(text.replace(/^@/, ''), 1);
  const address = parseAddress(text);
  return address && addressKey(address);
};
