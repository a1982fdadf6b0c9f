/** The reach of a person's call: an owner's ends at its workspace, the operator's is the whole instance. */

import type { z } from 'zod';
import { type Caller, isPerson, type PersonCaller } from '../kernel/caller.ts';
import { ApiError, requireFound } from '../kernel/errors.ts';
import { workspaceInput } from '../kernel/fields.ts';
import type { WorkspaceId } from '../kernel/ids.ts';
import { type Operation, takesWorkspace } from '../kernel/operation.ts';
import { type Agent, findAgent, findRenamedAgent } from '../store/accounts/agents.ts';
import { findLiveWorkspace, findWorkspaceById, findWorkspaces, type Workspace } from '../store/accounts/workspaces.ts';
import type { Db } from '../store/store.ts';

/** @param workspaceId null: of the instance itself */
export const isWithinReach = (caller: PersonCaller, workspaceId: WorkspaceId | null): boolean =>
  (caller.kind === 'operator' && caller.workspaceId === undefined) || caller.workspaceId === workspaceId;

/** An outsider chooses the name of a signup: it stands for nothing that is the id, slug or name of another workspace. */
const withoutNamesakes = (found: readonly Workspace[], text: string): readonly Workspace[] => {
  const byId = found.find(({ id }) => id === text.toLowerCase());
  if (byId) return [byId];
  const others = found.filter(({ claimHash, slug }) => claimHash === null || slug === text);
  return others.length > 0 ? others : found;
};

/**
 * @param text its name, slug or id; an owner may leave it out
 * @throws ApiError workspace_not_found, also for one outside the caller's reach; workspace_ambiguous
 */
const reachWorkspace = async (db: Db, caller: PersonCaller, text: string | undefined): Promise<Workspace> => {
  if (text === undefined) return ownWorkspace(db, caller);
  const reached = (await findWorkspaces(db, text)).filter(({ id }) => isWithinReach(caller, id));
  const [found, ...others] = withoutNamesakes(reached, text);
  if (!found) throw new ApiError('workspace_not_found', { fields: { workspace: text } });
  if (others.length === 0) return found;
  const candidates = [found, ...others].map(({ id, slug, name }) => ({ id, slug, name }));
  throw new ApiError('workspace_ambiguous', { fields: { workspace: text, candidates } });
};

const ownWorkspace = async (db: Db, caller: PersonCaller): Promise<Workspace> => {
  const own = caller.kind === 'owner' ? await findLiveWorkspace(db, caller.workspaceId) : null;
  if (!own)
    throw new ApiError('invalid_request', {
      fault: { field: 'workspace', rule: 'missing', allowed: 'its name, slug or id' },
    });
  return own;
};

/** @throws ApiError workspace_not_found where the caller's workspace was removed meanwhile */
export const requireWorkspace = async (db: Db, { workspaceId }: { workspaceId: WorkspaceId }): Promise<Workspace> =>
  requireFound(await findLiveWorkspace(db, workspaceId), 'workspace_not_found', { fields: { workspace: workspaceId } });

/**
 * @param text its handle, address or id
 * @throws ApiError agent_not_found, also for one outside the caller's reach and for the instance's own senders
 */
export const reachAgent = async (db: Db, caller: PersonCaller, text: string): Promise<Agent> =>
  requireReach(db, caller, text, await findAgent(db, text));

/** Finds an agent also by its former names: for reading only, because another agent may take such a name. */
export const reachRenamedAgent = async (db: Db, caller: PersonCaller, text: string): Promise<Agent> =>
  requireReach(db, caller, text, (await findAgent(db, text)) ?? (await findRenamedAgent(db, text)));

const requireReach = async (db: Db, caller: PersonCaller, text: string, agent: Agent | null): Promise<Agent> => {
  const workspace = agent && (await findWorkspaceById(db, agent.workspaceId));
  if (!agent || !workspace || workspace.hidden || !isWithinReach(caller, agent.workspaceId)) {
    throw new ApiError('agent_not_found', { fields: { agent: text } });
  }
  return agent;
};

const personInputs = new WeakMap<Operation, z.ZodType>();

/** The schema of a call's input: a person also gives the workspace, where the operation takes one. */
export const inputOf = (operation: Operation, { kind }: Pick<Caller, 'kind'>): z.ZodType => {
  if (kind !== 'owner' && kind !== 'operator') return operation.input;
  const known = personInputs.get(operation);
  if (known) return known;
  const own = operation.persons?.input ?? operation.input;
  const input = takesWorkspace(operation) ? (own as z.ZodObject).safeExtend({ workspace: workspaceInput }) : own;
  personInputs.set(operation, input);
  return input;
};

export const outputOf = ({ output, persons }: Operation, caller: Caller): z.ZodType =>
  (isPerson(caller) && persons?.output) || output;

/**
 * The caller in the workspace that its input names, and the rest of the input.
 * @throws ApiError as {@link reachWorkspace}
 */
export const enterWorkspace = async (
  db: Db,
  operation: Operation,
  caller: Caller,
  input: unknown,
): Promise<[Caller, unknown]> => {
  const takes = takesWorkspace(operation);
  if (!isPerson(caller) || takes === null) return [caller, input];
  const { workspace, ...rest } = input as { workspace?: string };
  if (workspace === undefined && takes === 'optional' && caller.kind === 'operator') return [caller, rest];
  const { id: workspaceId } = await reachWorkspace(db, caller, workspace);
  return [{ ...caller, workspaceId }, rest];
};
