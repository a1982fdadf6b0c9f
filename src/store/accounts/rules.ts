/** An identity's allow and block rules. */

import type { Address } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import { type AgentId, idToBytes, type RuleId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { preparedSelect } from '../prepared-statement.ts';
import { countRows, deleteRows, findRow, listRows, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { rules } from './accounts-mappings.ts';

const rule = rules.omit('agentId', 'createdAt');
export type Rule = Entity<typeof rule>;

/** Oldest first. */
export const listRules = (db: Db, agentId: AgentId): Promise<Rule[]> =>
  listRows(db, rules, { agentId }, { order: { createdAt: 'asc', id: 'asc' }, as: rule });

/**
 * Looks up values by index, whatever the number of rules: one statement for each number of values. An address is never
 * a domain, so the kind of rule does not matter.
 */
const prepareByValues = (count: number) =>
  preparedSelect((db, by: Readonly<Record<string, string | Uint8Array>>) =>
    db
      .selectFrom('rules')
      .select(rule.names)
      .where('agent_id', '=', by.agentId as Uint8Array)
      .where('match', 'in', ['exact_email', 'domain'])
      .where(
        'value',
        'in',
        Array.from({ length: count }, (_, at) => by[`value${at}`] as string),
      ),
  );
const bySomeValues = new Map<number, ReturnType<typeof prepareByValues>>();

/** The rules that may match a sender: on the address itself, on its domain and on each domain above that. */
export const findRulesFor = async (db: Db, agentId: AgentId, address: Address): Promise<Rule[]> => {
  const labels = address.slice(address.lastIndexOf('@') + 1).split('.');
  const values: string[] = [address, ...labels.map((_, index) => labels.slice(index).join('.'))];
  const byValues = bySomeValues.get(values.length) ?? prepareByValues(values.length);
  bySomeValues.set(values.length, byValues);
  const marks = Object.fromEntries(values.map((value, at) => [`value${at}`, value]));
  const rows = await byValues(db, { ...marks, agentId: idToBytes(agentId) });
  return rows.map(rule.read).sort((one, other) => values.indexOf(one.value) - values.indexOf(other.value));
};

const insert = preparedInsert(rules);

/** Adds the rule, or finds the same one: a rule is stored once, and is a person's where a person adds it too. */
export const insertRule = async (tx: Tx, agentId: AgentId, added: Rule, now: Millis): Promise<Rule> => {
  const { match, value, action, byPerson } = added;
  const known = await findRow(tx.db, rules, { agentId, match, value, action }, { as: rule });
  if (known && byPerson) await updateRows(tx, rules, { id: known.id }, { byPerson });
  if (known) return known;
  await insert(tx, { ...added, agentId, createdAt: now });
  return added;
};

export const findRule = (db: Db, agentId: AgentId, id: RuleId): Promise<Rule | null> =>
  findRow(db, rules, { id, agentId }, { as: rule });

export const countRules = (db: Db, agentId: AgentId): Promise<number> => countRows(db, rules, { agentId });

export const deleteRule = (tx: Tx, agentId: AgentId, id: RuleId): Promise<void> =>
  deleteRows(tx, rules, { id, agentId });
