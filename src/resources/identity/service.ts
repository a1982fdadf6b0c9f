/** The identity resource: who the caller is, and the rules of its inbound mail. */

import { addressKey, parseAddress, parseDomain } from '../../kernel/address.ts';
import type { AgentCaller } from '../../kernel/caller.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { NewId } from '../../kernel/ids.ts';
import type { Handlers } from '../../kernel/operation.ts';
import { type Agent, findAgentById, isHandleTaken, renameAgent, updateAgent } from '../../store/accounts/agents.ts';
import { listAddresses } from '../../store/accounts/recipient-lookup.ts';
import { countRules, deleteRule, insertRule, listRules } from '../../store/accounts/rules.ts';
import type { Db, Store, Tx } from '../../store/store.ts';
import type { identityContract } from './contract.ts';
import { findUsageView, type UsageNeeds } from './usage.ts';
import { createWhoami } from './whoami.ts';

export interface IdentityNeeds extends UsageNeeds {
  store: Store;
  newId: NewId;
}

/** Every mail asks the rules; a list that an agent fills in a loop would slow them all. */
const MAX_RULES = 10_000;

export const createIdentity = (needs: IdentityNeeds): Handlers<typeof identityContract> => {
  const { store, clock, newId } = needs;
  return {
    whoami: createWhoami(needs),

    get: async (caller) => viewIdentity(needs, store.read, await agentOf(store.read, caller)),

    update: async (caller, { handle, display_name, description, filter_mode }) => {
      const change = {
        ...(display_name !== undefined && { displayName: display_name }),
        ...(description !== undefined && { description }),
        ...(filter_mode !== undefined && { filterMode: filter_mode }),
      };
      if (handle === undefined && Object.keys(change).length === 0) throw new ApiError('nothing_to_update');
      return store.write(async (tx) => {
        const agent = await agentOf(tx.db, caller);
        if (handle !== undefined && handle !== agent.handle) await rename(tx, agent, handle);
        await updateAgent(tx, agent.id, change);
        return viewIdentity(needs, tx.db, await agentOf(tx.db, caller));
      });
    },

    listRules: async (caller) => ({ rules: await listRules(store.read, (await agentOf(store.read, caller)).id) }),

    createRule: async (caller, { match, value, action }) => {
      const canonical = canonicalValue(match, value);
      if (canonical === null) throw new ApiError('invalid_value');
      return store.write(async (tx) => {
        const agent = await agentOf(tx.db, caller);
        if ((await countRules(tx.db, agent.id)) >= MAX_RULES) {
          throw new ApiError('invalid_request', { hint: `An identity has at most ${MAX_RULES} rules. Delete some.` });
        }
        return insertRule(tx, agent.id, { id: newId<'rule'>(), match, value: canonical, action }, clock.now());
      });
    },

    deleteRule: async (caller, { id }) => {
      const deleted = await store.write((tx) => deleteRule(tx, caller.agentId, id));
      if (!deleted) throw new ApiError('rule_not_found');
      return { deleted: true };
    },
  };
};

const agentOf = async (db: Db, { agentId }: AgentCaller): Promise<Agent> => {
  const agent = await findAgentById(db, agentId);
  if (!agent) throw new ApiError('no_identity');
  return agent;
};

const viewIdentity = async (needs: IdentityNeeds, db: Db, agent: Agent) => ({
  id: agent.id,
  handle: agent.handle,
  address: agent.address,
  display_name: agent.displayName,
  description: agent.description,
  filter_mode: agent.filterMode,
  mailbox_id: agent.mailboxId,
  rules: await listRules(db, agent.id),
  usage: await findUsageView(needs, db, agent.workspaceId),
});

/** A handle that was the agent's own before may be taken back: its address still reaches it. */
const rename = async (tx: Tx, agent: Agent, handle: string): Promise<void> => {
  const isOwn = await isOwnHandle(tx.db, agent, handle);
  if (!isOwn && (await isHandleTaken(tx.db, handle))) throw new ApiError('handle_taken');
  await renameAgent(tx, agent, handle);
};

const isOwnHandle = async (db: Db, { mailboxId }: Agent, handle: string): Promise<boolean> =>
  (await listAddresses(db, mailboxId)).some((address) => address.startsWith(`${handle}@`));

const canonicalValue = (match: 'exact_email' | 'domain', value: string): string | null => {
  const text = value.trim();
  if (match === 'domain') return parseDomain(text.replace(/^@/, ''), 1);
  const address = parseAddress(text);
  return address && addressKey(address);
};
