/** Filter rules of an agent, set by a person. */

import { reachAgent } from '../../../access/reach.ts';
import type { Handlers } from '../../../kernel/operation.ts';
import { updateAgent } from '../../../store/accounts/agents.ts';
import { listRules } from '../../../store/accounts/rules.ts';
import type { rulesContract } from './contract.ts';
import { addRule, type RuleNeeds, removeRule } from './filter-rules.ts';

export const createRules = (needs: RuleNeeds): Handlers<typeof rulesContract> => {
  const { store } = needs;
  return {
    list: async (caller, { agent: name }) => {
      const { id } = await reachAgent(store.read, caller, name);
      return { rules: await listRules(store.read, id) };
    },

    add: async (caller, { agent: name, ...rule }) => {
      const { id } = await reachAgent(store.read, caller, name);
      return addRule(needs, id, rule);
    },

    remove: async (caller, { agent: name, rule_id }) => {
      const { id } = await reachAgent(store.read, caller, name);
      await removeRule(needs, id, rule_id);
      return { deleted: true };
    },

    setMode: async (caller, { agent: name, filter_mode: filterMode }) => {
      const { id, handle } = await reachAgent(store.read, caller, name);
      await store.write((tx) => updateAgent(tx, id, { filterMode }));
      return { agent: handle, filter_mode: filterMode };
    },
  };
};
