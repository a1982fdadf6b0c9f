/** Filter rules of an agent, set by a person. */

import { reachAgent } from '../../../access/reach.ts';
import type { Handlers } from '../../../kernel/handlers.ts';
import { updateAgent } from '../../../store/accounts/agents.ts';
import { listRules } from '../../../store/accounts/rules.ts';
import type { Store } from '../../../store/store.ts';
import type { rulesContract } from './contract.ts';
import { addRule, type RuleNeeds, removeRule, ruleDetail } from './filter-rules.ts';

export interface RulesNeeds extends RuleNeeds {
  store: Store;
}

export const createRules = (needs: RulesNeeds): Handlers<typeof rulesContract> => {
  const { store } = needs;
  return {
    list: async (caller, { agent: name }) => {
      const { id } = await reachAgent(store.read, caller, name);
      return { rules: await listRules(store.read, id) };
    },

    add: async (caller, { agent: name, ...wanted }, { record }) => {
      const { id, handle, workspaceId } = await reachAgent(store.read, caller, name);
      return store.write(async (tx) => {
        const rule = await addRule(needs, tx, id, wanted);
        return record(tx, { workspaceId, subject: handle, detail: ruleDetail(rule) }, rule);
      });
    },

    remove: async (caller, { agent: name, rule_id }, { record }) => {
      const { id, handle, workspaceId } = await reachAgent(store.read, caller, name);
      return store.write(async (tx) => {
        await removeRule(tx, id, rule_id);
        return record(tx, { workspaceId, subject: handle, detail: { rule_id } }, { deleted: true as const });
      });
    },

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
