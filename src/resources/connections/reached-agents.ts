/** Lists the agents of a grant's owner that the grant includes. */

import type { WorkspaceId } from '../../kernel/ids.ts';
import { listAgentsOfOwner, type OauthGrant, type OwnedAgent } from '../../store/oauth/oauth-grants.ts';
import { listWorkspacesOf } from '../../store/owners/owners.ts';
import type { Db } from '../../store/store.ts';

/** @param owned the agents of the grant's owner */
export const reachedAgents = ({ agents }: OauthGrant, owned: readonly OwnedAgent[]): readonly OwnedAgent[] =>
  agents === null ? owned : owned.filter(({ id }) => agents.includes(id));

/** The workspaces of its agents; all of its owner's where it is for every agent. */
export const findReachedWorkspaces = async (db: Db, grant: OauthGrant): Promise<WorkspaceId[]> => {
  if (grant.agents === null) return (await listWorkspacesOf(db, grant.ownerId)).map(({ id }) => id);
  const reached = reachedAgents(grant, await listAgentsOfOwner(db, grant.ownerId));
  return [...new Set(reached.map(({ workspaceId }) => workspaceId))];
};
