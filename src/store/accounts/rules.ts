/** An identity's allow and block rules. */

import type { Selectable } from 'kysely';
import type { Address } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { AgentId, RuleId } from '../../kernel/ids.ts';
import { preparedSelect } from '../prepared-query.ts';
import type { Schema } from '../schema.ts';
import type { Db, Tx } from '../store.ts';
import { fromBlob, toBlob } from '../values.ts';

export interface Rule {
  id: RuleId;
  match: 'exact_email' | 'domain';
  /** Lower-case. */
  value: string;
  action: 'allow' | 'block';
}

const fromRow = (row: Selectable<Schema['rules']>): Rule => ({
  id: fromBlob(row.id),
  match: row.match,
  value: row.value,
  action: row.action,
});

/** Oldest first. */
export const listRules = async (db: Db, agentId: AgentId): Promise<Rule[]> =>
  (
    await db
      .selectFrom('rules')
      .selectAll()
      .where('agent_id', '=', toBlob(agentId))
      .orderBy('created_at')
      .orderBy('id')
      .execute()
  ).map(fromRow);

/** An identity has few rules of a value, and the index leads to each: one look-up a value, whatever their number. */
const byValue = preparedSelect((db, agentId: Uint8Array, match: string, value: string) =>
  db
    .selectFrom('rules')
    .selectAll()
    .where('agent_id', '=', agentId)
    .where('match', '=', match as Rule['match'])
    .where('value', '=', value),
);

/** The rules that may speak of a sender: on the address itself, on its domain and on each domain above that. */
export const findRulesFor = async (db: Db, agentId: AgentId, address: Address): Promise<Rule[]> => {
  const id = toBlob(agentId);
  const labels = address.slice(address.lastIndexOf('@') + 1).split('.');
  const rows = await byValue(db, id, 'exact_email', address);
  for (const index of labels.keys()) rows.push(...(await byValue(db, id, 'domain', labels.slice(index).join('.'))));
  return rows.map(fromRow);
};

/** Adds the rule, or finds the same one: a rule said twice is one rule. */
export const insertRule = async (tx: Tx, agentId: AgentId, rule: Rule, now: Millis): Promise<Rule> => {
  const same = await tx.db
    .selectFrom('rules')
    .selectAll()
    .where('agent_id', '=', toBlob(agentId))
    .where('match', '=', rule.match)
    .where('value', '=', rule.value)
    .where('action', '=', rule.action)
    .executeTakeFirst();
  if (same) return fromRow(same);
  await tx.db
    .insertInto('rules')
    .values({ ...rule, id: toBlob(rule.id), agent_id: toBlob(agentId), created_at: now })
    .execute();
  return rule;
};

export const countRules = async (db: Db, agentId: AgentId): Promise<number> => {
  const { count } = await db
    .selectFrom('rules')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('agent_id', '=', toBlob(agentId))
    .executeTakeFirstOrThrow();
  return count;
};

export const deleteRule = async (tx: Tx, agentId: AgentId, id: RuleId): Promise<boolean> => {
  const result = await tx.db
    .deleteFrom('rules')
    .where('id', '=', toBlob(id))
    .where('agent_id', '=', toBlob(agentId))
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
};
