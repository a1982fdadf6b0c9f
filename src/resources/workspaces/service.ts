import { requireForeignAddress } from '../../access/own-address.ts';
import { isWithinReach, requireWorkspace } from '../../access/reach.ts';
import { viewOf } from '../../access/view-of.ts';
import type { Plans } from '../../config/plans.ts';
import { addressKey, parseNamedAddress } from '../../kernel/address.ts';
import { isoTimeOrNull } from '../../kernel/clock.ts';
import { ApiError, wrongField } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import { pauseWorkspace, resumeWorkspace } from '../../outbound/gate/reputation-state.ts';
import { listAgents } from '../../store/accounts/agents.ts';
import { findLapse, isUnclaimed } from '../../store/accounts/claims.ts';
import { listDomains } from '../../store/accounts/domains.ts';
import {
  endProbation,
  findWorkspaceById,
  listWorkspaces,
  maySend,
  setPlan,
  setVerified,
  type Workspace,
} from '../../store/accounts/workspaces.ts';
import { listWorkspaceOwners } from '../../store/owners/owners.ts';
import type { Db } from '../../store/store.ts';
import type { Needs } from '../needs.ts';
import { addWorkspace, toSubdomain } from './add-workspace.ts';
import { type WorkspaceView, workspaceShape, type workspacesContract } from './contract.ts';
import { cancelNotices, cancelRest, removeWorkspace } from './remove-workspace.ts';
import { findWorkspaceUsage } from './workspace-usage.ts';

/** The form of an owner's address for comparison. */
const ownerKey = (ownerEmail: string): string => {
  const parsed = parseNamedAddress(ownerEmail);
  return parsed ? addressKey(parsed.address) : ownerEmail;
};

const claimOf = ({ claimHash, claimedAt }: Workspace): WorkspaceView['claim'] => {
  if (claimHash === null) return null;
  return claimedAt === null ? 'open' : 'claimed';
};

const viewWorkspace = viewOf(workspaceShape, (workspace: Workspace, subdomain: string) => ({
  subdomain,
  owner_email: ownerKey(workspace.ownerEmail),
  may_send: maySend(workspace),
  claim: claimOf(workspace),
  lapses_at: isoTimeOrNull(findLapse(workspace)),
}));

const viewState = ({ id, name, slug }: Workspace, sendingState: Workspace['sendingState']) => ({
  id,
  name,
  slug,
  sending_state: sendingState,
});

const requirePlan = ({ named }: Plans, plan: string): void => {
  if (!named.has(plan)) throw wrongField('plan', `is one of ${[...named.keys()].join(', ')}`);
};

export const createWorkspaces = (
  needs: Needs<'store' | 'clock' | 'newId' | 'plans' | 'events' | 'vaultKey' | 'baseDomain' | 'hostname'>,
): Handlers<typeof workspacesContract> => {
  const { store, clock, plans, vaultKey, baseDomain } = needs;

  /**
   * Persons address workspaces by name, so a second one of a name would be ambiguous. An unclaimed signup, which any
   * outsider can make, does not block a name for the operator.
   */
  const refuseSecond = async (db: Db, { id, name }: Pick<Workspace, 'id' | 'name'>): Promise<void> => {
    const isSame = (each: Workspace) =>
      each.id !== id && each.name.toLowerCase() === name.toLowerCase() && !isUnclaimed(each);
    const known = (await listWorkspaces(db)).find(isSame);
    if (known) throw new ApiError('workspace_exists', { fields: { name: known.name, slug: known.slug } });
  };

  return {
    add: async (_caller, { name, owner_email: ownerEmail, plan, verified }, { record }) => {
      requirePlan(plans, plan);
      if (!vaultKey) throw new ApiError('vault_unavailable');
      const parsed = parseNamedAddress(ownerEmail);
      return addWorkspace({ ...needs, vaultKey }, { name, ownerEmail, plan, verified }, async (tx, { id, slug }) => {
        await refuseSecond(tx.db, { id, name });
        if (parsed) await requireForeignAddress(tx.db, addressKey(parsed.address), baseDomain);
        return record(
          tx,
          { workspaceId: id, subject: slug, detail: { owner: ownerEmail, plan, verified } },
          { id, name, slug, subdomain: toSubdomain(slug, baseDomain), plan },
        );
      });
    },

    list: async (caller) => ({
      workspaces: (await listWorkspaces(store.read))
        .filter(({ id }) => isWithinReach(caller, id))
        .map((each) => viewWorkspace(each, toSubdomain(each.slug, baseDomain))),
    }),

    get: async (caller) => {
      const workspace = await requireWorkspace(store.read, caller);
      const agents = await listAgents(store.read, workspace.id);
      return {
        ...viewWorkspace(workspace, toSubdomain(workspace.slug, baseDomain)),
        usage: await findWorkspaceUsage(store.read, plans, workspace, clock.now()),
        domains: (await listDomains(store.read, workspace.id)).map(({ name }) => name),
        agents: agents.map(({ id, handle, address }) => ({ id, handle, address })),
      };
    },

    verify: (caller, _input, { record, unchanged }) =>
      store.write(async (tx) => {
        const { id, name, slug } = await requireWorkspace(tx.db, caller);
        const isChanged = await setVerified(tx, id, clock.now());
        const verifiedAt = (await findWorkspaceById(tx.db, id))?.verifiedAt ?? null;
        const answer = { id, name, slug, verified_at: isoTimeOrNull(verifiedAt) };
        return isChanged ? record(tx, { workspaceId: id, subject: slug }, answer) : unchanged(answer);
      }),

    pause: (caller, { reason = caller.kind }, { record }) =>
      store.write(async (tx) => {
        const workspace = await requireWorkspace(tx.db, caller);
        const { id, name, slug, sendingStateReason } = workspace;
        if (!(await pauseWorkspace(needs, tx, workspace, reason, clock.now()))) {
          throw new ApiError('workspace_already_paused', { fields: { workspace: name, reason: sendingStateReason } });
        }
        return record(tx, { workspaceId: id, subject: slug, detail: { reason } }, viewState(workspace, 'paused'));
      }),

    resume: (caller, _input, { record }) =>
      store.write(async (tx) => {
        const workspace = await requireWorkspace(tx.db, caller);
        const { id, name, slug, sendingState } = workspace;
        if (!(await resumeWorkspace(needs, tx, workspace, clock.now()))) {
          throw new ApiError('workspace_not_restrained', { fields: { workspace: name } });
        }
        const act = { workspaceId: id, subject: slug, detail: { from: sendingState } };
        return record(tx, act, viewState(workspace, 'normal'));
      }),

    remove: async (caller, _input, { record }) => {
      const { id, recorded } = await store.write(async (tx) => {
        const { id, name, slug } = await requireWorkspace(tx.db, caller);
        const owners = (await listWorkspaceOwners(tx.db, id)).map(({ email }) => email);
        await removeWorkspace(tx, id, clock.now());
        await cancelNotices(tx, owners, baseDomain);
        const answer = { id, name, slug, removed: true as const };
        return { id, recorded: await record(tx, { workspaceId: id, subject: slug }, answer) };
      });
      await cancelRest(store, id);
      return recorded;
    },

    setPlan: async (caller, { plan, spend_cap_usd: spendCapUsd }, { record }) => {
      requirePlan(plans, plan);
      return store.write(async (tx) => {
        const { id, name, slug, plan: before, tier } = await requireWorkspace(tx.db, caller);
        await setPlan(tx, id, plan, spendCapUsd);
        const ended = tier === 'probation' ? { ended_probation: true } : {};
        if (tier === 'probation') await endProbation(tx, id);
        const detail = { plan, before, spend_cap_usd: spendCapUsd, ...ended };
        const answer = { id, name, slug, plan, tier: 'standard' as const, spend_cap_usd: spendCapUsd };
        return record(tx, { workspaceId: id, subject: slug, detail }, answer);
      });
    },
  };
};
