/** The workspaces resource. */

import { isWithinReach, reachWorkspace } from '../../access/reach.ts';
import type { Plans } from '../../config/plans.ts';
import type { Events } from '../../events/publish-events.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { NewId } from '../../kernel/ids.ts';
import type { Handlers } from '../../kernel/operation.ts';
import { pauseWorkspace, resumeWorkspace } from '../../outbound/gate/reputation-state.ts';
import { listAgents } from '../../store/accounts/agents.ts';
import { listDomains } from '../../store/accounts/domains.ts';
import { listWorkspaces, setPlan, type Workspace } from '../../store/accounts/workspaces.ts';
import type { Store } from '../../store/store.ts';
import { addWorkspace, subdomainOf } from './add-workspace.ts';
import type { workspacesContract } from './contract.ts';
import { viewWorkspace } from './view.ts';
import { findWorkspaceUsage } from './workspace-usage.ts';

export interface WorkspacesNeeds {
  store: Store;
  clock: Clock;
  newId: NewId;
  plans: Plans;
  events: Events;
  /** Null where the key file is missing: no DKIM keys can be sealed. */
  vaultKey: Buffer | null;
  baseDomain: string;
}

const viewState = ({ id, name, slug }: Workspace, sendingState: Workspace['sendingState']) => ({
  id,
  name,
  slug,
  sending_state: sendingState,
});

const requirePlan = ({ named }: Plans, plan: string): void => {
  if (named.has(plan)) return;
  throw new ApiError('invalid_request', { hint: `\`plan\` is one of ${[...named.keys()].join(', ')}.` });
};

export const createWorkspaces = (needs: WorkspacesNeeds): Handlers<typeof workspacesContract> => {
  const { store, clock, plans, vaultKey, baseDomain } = needs;

  /** Names are what persons call workspaces by, so that two of one name would be mistaken for each other. */
  const refuseSecond = async (name: string): Promise<void> => {
    const isSame = (each: Workspace) => each.name.toLowerCase() === name.toLowerCase();
    const known = (await listWorkspaces(store.read)).find(isSame);
    if (known) throw new ApiError('workspace_exists', { fields: { name: known.name, slug: known.slug } });
  };

  return {
    add: async (_caller, { name, owner_email: ownerEmail, plan, verified }) => {
      requirePlan(plans, plan);
      if (!vaultKey) throw new ApiError('vault_unavailable');
      await refuseSecond(name);
      const { id, slug } = await addWorkspace({ ...needs, vaultKey }, { name, ownerEmail, plan, verified });
      return { id, name, slug, subdomain: subdomainOf(slug, baseDomain), plan };
    },

    list: async (caller) => ({
      workspaces: (await listWorkspaces(store.read))
        .filter(({ id }) => isWithinReach(caller, id))
        .map((each) => viewWorkspace(each, subdomainOf(each.slug, baseDomain))),
    }),

    get: async (caller, { workspace: text }) => {
      const workspace = await reachWorkspace(store.read, caller, text);
      const agents = await listAgents(store.read, workspace.id);
      return {
        ...viewWorkspace(workspace, subdomainOf(workspace.slug, baseDomain)),
        usage: await findWorkspaceUsage(store.read, plans, workspace, clock.now()),
        domains: (await listDomains(store.read, workspace.id)).map(({ name }) => name),
        agents: agents.map(({ id, handle, address }) => ({ id, handle, address })),
      };
    },

    pause: async (caller, { workspace: text, reason }) => {
      const workspace = await reachWorkspace(store.read, caller, text);
      const { name, sendingStateReason } = workspace;
      const isPaused = await store.write((tx) => pauseWorkspace(needs, tx, workspace, reason, clock.now()));
      if (!isPaused) {
        throw new ApiError('workspace_already_paused', { fields: { workspace: name, reason: sendingStateReason } });
      }
      return viewState(workspace, 'paused');
    },

    resume: async (caller, { workspace: text }) => {
      const workspace = await reachWorkspace(store.read, caller, text);
      const isResumed = await store.write((tx) => resumeWorkspace(needs, tx, workspace, clock.now()));
      if (!isResumed) throw new ApiError('workspace_not_restrained', { fields: { workspace: workspace.name } });
      return viewState(workspace, 'normal');
    },

    setPlan: async (caller, { workspace: text, plan, spend_cap_usd: spendCapUsd }) => {
      requirePlan(plans, plan);
      const { id, name, slug } = await reachWorkspace(store.read, caller, text);
      await store.write((tx) => setPlan(tx, id, plan, spendCapUsd));
      return { id, name, slug, plan, spend_cap_usd: spendCapUsd };
    },
  };
};
