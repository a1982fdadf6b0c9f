/** What a signed-in owner has, to read. */

import type { OwnerSession } from '../../access/owner-sessions.ts';
import { reachOfList } from '../../access/reach.ts';
import type { SendingState } from '../../store/accounts/accounts-mappings.ts';
import { type Agent, listAgents } from '../../store/accounts/agents.ts';
import type { Workspace } from '../../store/accounts/workspaces.ts';
import type { Db } from '../../store/store.ts';

export interface OwnedWorkspace {
  name: string;
  subdomain: string;
  plan: string;
  isVerified: boolean;
  sendingState: SendingState;
  agents: Pick<Agent, 'handle' | 'address' | 'status'>[];
}

const listAgentsOf = async (db: Db, session: OwnerSession, { id }: Workspace): Promise<Agent[]> => {
  const caller = session.callerIn(id);
  return caller ? listAgents(db, await reachOfList(db, caller, undefined)) : [];
};

export const listOwnedWorkspaces = (db: Db, session: OwnerSession, baseDomain: string): Promise<OwnedWorkspace[]> =>
  Promise.all(
    session.workspaces.map(async (workspace) => ({
      ...{ name: workspace.name, plan: workspace.plan, sendingState: workspace.sendingState },
      ...{ subdomain: `${workspace.slug}.${baseDomain}`, isVerified: workspace.verifiedAt !== null },
      agents: await listAgentsOf(db, session, workspace),
    })),
  );
