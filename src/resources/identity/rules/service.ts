/** Filter rules of an agent, set by a person. */

import { reachAgent } from '../../../access/reach.ts';
import type { Handlers } from '../../../kernel/handlers.ts';
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

    add: async (caller, { agent, ...wanted }, call) =>
      addRule(needs, await reachAgent(store.read, caller, agent), { ...wanted, byPerson: true }, call),

    remove: async (caller, { agent, rule_id }, call) =>
      removeRule(needs, await reachAgent(store.read, caller, agent), { rule: rule_id, byPerson: true }, call),

    setMode: async (caller, { agent: name, filter_mode: filterMode }, { record }) => {
      const { id, handle, workspaceId } = await reachAgent(store.read, caller, name);
      return store.write(async (tx) => {
        await updateAgent(tx, id, { filterMode });
        const act = { workspaceId, subject: handle, detail: { filter_mode: filterMode } };
        return record(tx, act, { agent: handle, filter_mode: filterMode });
      });
    },
  };
};
