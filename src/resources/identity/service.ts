/** The identity resource: the caller, and the rules of its inbound mail. */

import { requireNoOwner } from '../../access/own-address.ts';
import { viewOf } from '../../access/view-of.ts';
import { type Address, domainOf } from '../../kernel/address.ts';
import type { AgentCaller } from '../../kernel/caller.ts';
import { DAY, type Millis, SECOND } from '../../kernel/clock.ts';
import { ApiError, requireFound } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import { type Agent, findAgentById, isHandleTaken, renameAgent, updateAgent } from '../../store/accounts/agents.ts';
import { listAddresses } from '../../store/accounts/recipient-lookup.ts';
import { listRules } from '../../store/accounts/rules.ts';
import type { Db, Tx } from '../../store/store.ts';
import type { Needs } from '../needs.ts';
import { identityAgentShape, type identityContract } from './contract.ts';
import { addRule, removeRule } from './rules/filter-rules.ts';
import { viewRights } from './sending-rights.ts';

type IdentityNeeds = Needs<'store' | 'newId' | 'plans' | 'clock' | 'isLocalOnly'>;

export const createIdentity = (needs: IdentityNeeds): Handlers<typeof identityContract> => {
  const { store } = needs;
  return {
    whoami: async (caller) => viewSelf(needs, store.read, caller, await requireAgent(store.read, caller)),

    get: async (caller) => viewIdentity(needs, store.read, caller, await requireAgent(store.read, caller)),

    update: async (caller, given, { record, unchanged }) => {
      const { handle, display_name, description, filter_mode } = given;
      const change = {
        ...(display_name !== undefined && { displayName: display_name }),
        ...(description !== undefined && { description }),
        ...(filter_mode !== undefined && { filterMode: filter_mode }),
      };
      if (handle === undefined && Object.keys(change).length === 0) throw new ApiError('nothing_to_update');
      return store.write(async (tx) => {
        const agent = await requireAgent(tx.db, caller);
        const isRenamed = handle !== undefined && handle !== agent.handle;
        if (!isRenamed && Object.entries(change).every(([name, value]) => agent[name as keyof Agent] === value)) {
          return unchanged(await viewIdentity(needs, tx.db, caller, agent));
        }
        if (isRenamed) await rename(tx, agent, handle, needs.clock.now());
        await updateAgent(tx, agent.id, change);
        const after = await viewIdentity(needs, tx.db, caller, await requireAgent(tx.db, caller));
        return record(
          tx,
          {
            workspaceId: caller.workspaceId,
            subject: agent.handle,
            detail: {
              changed: Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : name)),
              handle: after.handle,
              filter_mode: after.filter_mode,
            },
          },
          after,
        );
      });
    },

    listRules: async (caller) => ({ rules: await listRules(store.read, (await requireAgent(store.read, caller)).id) }),

    createRule: async (caller, wanted, call) =>
      addRule(needs, await requireAgent(store.read, caller), { ...wanted, byPerson: false }, call),

    deleteRule: async (caller, { id }, call) =>
      removeRule(needs, await requireAgent(store.read, caller), { rule: id, byPerson: false }, call),
  };
};

const requireAgent = async (db: Db, { agentId }: AgentCaller): Promise<Agent> =>
  requireFound(await findAgentById(db, agentId), 'no_identity');

const viewAgent = viewOf(identityAgentShape);

const viewSelf = async (needs: IdentityNeeds, db: Db, caller: AgentCaller, agent: Agent) => ({
  ...viewAgent(agent),
  ...(await viewRights(needs, db, caller)),
});

const viewIdentity = async (needs: IdentityNeeds, db: Db, caller: AgentCaller, agent: Agent) => ({
  ...(await viewSelf(needs, db, caller, agent)),
  rules: await listRules(db, agent.id),
});

/** How long a former address receives; no other agent can take the handle meanwhile. */
const FORMER_ADDRESS_MS = 30 * DAY;
/** Former addresses of an agent: each blocks a handle for others. */
const MAX_FORMER_ADDRESSES = 5;

/** An agent may take back a former handle while its address still receives. */
const rename = async (tx: Tx, agent: Agent, handle: string, now: Millis): Promise<void> => {
  const isTaken = await isHandleTaken(tx.db, handle);
  const own = await listAddresses(tx.db, agent.mailboxId);
  const isOwn = own.some((address) => address.startsWith(`${handle}@`));
  if (isTaken && !isOwn) throw new ApiError('handle_taken');
  // The list includes the present address, which becomes a former one.
  if (!isOwn && own.length > MAX_FORMER_ADDRESSES) {
    throw new ApiError('rate_limited', {
      hint: `A handle is changed at most ${MAX_FORMER_ADDRESSES} times in 30 days; a former one may be taken back.`,
      headers: { 'retry-after': String(DAY / SECOND) },
    });
  }
  await requireNoOwner(tx.db, `${handle}@${domainOf(agent.address)}` as Address);
  await renameAgent(tx, agent, handle, now + FORMER_ADDRESS_MS);
};
