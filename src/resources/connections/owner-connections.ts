/** The connections that reach the workspaces of an owner who is signed in: listed and ended through dispatch, as the owner. */

import type { Dispatch } from '../../access/dispatch.ts';
import type { OwnerSession } from '../../access/owner-sessions.ts';
import { ApiError } from '../../kernel/errors.ts';
import { bind, type Operation } from '../../kernel/operation.ts';
import { type ConnectionView, connectionsContract } from './contract.ts';
import { type ConnectionsNeeds, createConnections } from './service.ts';

export interface OwnerConnections {
  /** Newest first. */
  list(session: OwnerSession): Promise<ConnectionView[]>;
  /** @returns false where none of that id reaches a workspace of the owner's */
  revoke(session: OwnerSession, id: string): Promise<boolean>;
}

export const createOwnerConnections = (needs: ConnectionsNeeds, dispatch: Dispatch): OwnerConnections => {
  const bound = bind(connectionsContract, createConnections(needs));
  const callIn = async (session: OwnerSession, operation: Operation, input: object): Promise<unknown[]> => {
    const found = bound.find((each) => each.operation === operation);
    if (!found) throw new Error(`${operation.name} is not bound.`);
    const bodies: unknown[] = [];
    for (const { id } of session.workspaces) {
      const caller = session.callerIn(id);
      if (!caller) continue;
      try {
        bodies.push((await dispatch(found, { caller, input, idempotencyKey: null, via: 'console' })).body);
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 'connection_not_found')) throw error;
      }
    }
    return bodies;
  };
  return {
    list: async (session) => {
      const lists = (await callIn(session, connectionsContract.list, {})) as { connections: ConnectionView[] }[];
      const byId = new Map<string, ConnectionView>();
      // One that reaches several workspaces is in each list, with the agents of that one.
      for (const each of lists.flatMap(({ connections }) => connections)) {
        const known = byId.get(each.id);
        const agents = known?.agents && each.agents ? [...known.agents, ...each.agents] : each.agents;
        byId.set(each.id, { ...each, agents });
      }
      return [...byId.values()];
    },
    revoke: async (session, id) =>
      (await callIn(session, connectionsContract.revoke, { connection_id: id })).length > 0,
  };
};
