/** The reach of a person's call: an owner's ends at its workspace, the operator's is the whole instance. */

import type { z } from 'zod';
import type { PersonCaller } from '../kernel/caller.ts';
import { ApiError } from '../kernel/errors.ts';
import type { WorkspaceId } from '../kernel/ids.ts';
import type { AnswerFor, Call, CallFor, Contract, Handlers } from '../kernel/operation.ts';
import { type Agent, findAgent, findRenamedAgent } from '../store/accounts/agents.ts';
import { findWorkspaceById, findWorkspaces, type Workspace } from '../store/accounts/workspaces.ts';
import type { Db } from '../store/store.ts';

/** @param workspaceId null: of the instance itself */
export const isWithinReach = (caller: PersonCaller, workspaceId: WorkspaceId | null): boolean =>
  caller.kind === 'operator' || caller.workspaceId === workspaceId;

/**
 * @param text its name, slug or id; an owner may leave it out
 * @throws ApiError workspace_not_found, also for one outside the caller's reach; workspace_ambiguous
 */
export const reachWorkspace = async (db: Db, caller: PersonCaller, text: string | undefined): Promise<Workspace> => {
  if (text === undefined) return ownWorkspace(db, caller);
  const [found, ...others] = (await findWorkspaces(db, text)).filter(({ id }) => isWithinReach(caller, id));
  if (!found) throw new ApiError('workspace_not_found', { fields: { workspace: text } });
  if (others.length === 0) return found;
  const candidates = [found, ...others].map(({ id, slug, name }) => ({ id, slug, name }));
  throw new ApiError('workspace_ambiguous', { fields: { workspace: text, candidates } });
};

const ownWorkspace = async (db: Db, caller: PersonCaller): Promise<Workspace> => {
  const own = caller.kind === 'owner' ? await findWorkspaceById(db, caller.workspaceId) : null;
  if (!own) throw new ApiError('invalid_request', { hint: '`workspace` is missing; give its name, slug or id.' });
  return own;
};

/** The workspace that a list is cut to; null: every one, which the operator sees where it names none. */
export const reachOfList = async (
  db: Db,
  caller: PersonCaller,
  text: string | undefined,
): Promise<WorkspaceId | null> => {
  if (text === undefined && caller.kind === 'operator') return null;
  return (await reachWorkspace(db, caller, text)).id;
};

/**
 * @param text its handle, address or id
 * @throws ApiError agent_not_found, also for one outside the caller's reach and for the instance's own senders
 */
export const reachAgent = async (db: Db, caller: PersonCaller, text: string): Promise<Agent> =>
  requireReach(db, caller, text, await findAgent(db, text));

/** The same, and by a name that the agent had before: to read alone, as another agent may have it later. */
export const reachRenamedAgent = async (db: Db, caller: PersonCaller, text: string): Promise<Agent> =>
  requireReach(db, caller, text, (await findAgent(db, text)) ?? (await findRenamedAgent(db, text)));

const requireReach = async (db: Db, caller: PersonCaller, text: string, agent: Agent | null): Promise<Agent> => {
  const workspace = agent && (await findWorkspaceById(db, agent.workspaceId));
  if (!agent || !workspace || workspace.hidden || !isWithinReach(caller, agent.workspaceId)) {
    throw new ApiError('agent_not_found', { fields: { agent: text } });
  }
  return agent;
};

/** Where an operation works, whoever calls it. */
export interface Place {
  workspaceId: WorkspaceId;
  /** Of the person who works there; undefined: an agent. */
  person?: string;
}

type PlaceInput<Input, IdName extends string> = Omit<Input, 'workspace' | IdName> &
  // An input without fields has every name, for values that there are none of.
  (Input extends Record<IdName, infer Id> ? ([Id] extends [never] ? unknown : { id: Id }) : unknown);

/**
 * Handlers of operations that agents have in their workspace, and persons in the one that they name.
 * @template IdName the name of `id` in the contract, where it has another there
 */
export type PlaceHandlers<C extends Contract, IdName extends string = 'id'> = {
  [K in keyof C]: (
    place: Place,
    input: PlaceInput<z.output<C[K]['input']>, IdName>,
    call: CallFor<C[K]>,
  ) => Promise<AnswerFor<C[K]>>;
};

/** Reaches the workspace that a person names, and works there. */
export const reachingWorkspace = <C extends Contract, IdName extends string>(
  db: Db,
  idName: IdName,
  handlers: PlaceHandlers<C, IdName>,
): Handlers<C> =>
  Object.fromEntries(
    Object.entries(
      handlers as unknown as Record<string, (place: Place, input: object, call: Call) => Promise<unknown>>,
    ).map(([name, handle]) => [
      name,
      async (
        caller: PersonCaller,
        { workspace, ...rest }: { workspace?: string } & Record<string, unknown>,
        call: Call,
      ) => {
        const { id: workspaceId } = await reachWorkspace(db, caller, workspace);
        const { [idName]: id, ...input } = rest;
        return handle({ workspaceId, person: caller.name }, id === undefined ? input : { id, ...input }, call);
      },
    ]),
  ) as unknown as Handlers<C>;
