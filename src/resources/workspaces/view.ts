/** Stored workspaces in the shape that persons see. */

import { isoTime, isoTimeOrNull } from '../../kernel/clock.ts';
import { isUnclaimed } from '../../store/accounts/claims.ts';
import type { Workspace } from '../../store/accounts/workspaces.ts';
import type { WorkspaceView } from './contract.ts';

export const viewWorkspace = (workspace: Workspace, subdomain: string): WorkspaceView => ({
  id: workspace.id,
  name: workspace.name,
  slug: workspace.slug,
  subdomain,
  plan: workspace.plan,
  tier: workspace.tier,
  owner_email: workspace.ownerEmail,
  sending_state: workspace.sendingState,
  claim: workspace.claimHash === null ? null : isUnclaimed(workspace) ? 'open' : 'claimed',
  verified_at: isoTimeOrNull(workspace.verifiedAt),
  created_at: isoTime(workspace.createdAt),
});
