import type { WorkspaceId } from '../../kernel/ids.ts';
import { listReachedAgents, type OauthGrant } from '../../store/oauth/oauth-grants.ts';
import { listWorkspacesOf } from '../../store/owners/owners.ts';
import type { Db } from '../../store/store.ts';

/** The workspaces of its agents; all of its owner's where it is for every agent. */
export const findReachedWorkspaces = async (db: Db, grant: OauthGrant): Promise<WorkspaceId[]> => {
  if (grant.agents === null) return (await listWorkspacesOf(db, grant.ownerId)).map(({ id }) => id);
  const reached = await listReachedAgents(db, grant);
  return [...new Set(reached.map(({ workspaceId }) => workspaceId))];
};
