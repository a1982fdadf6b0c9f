/** Stored workspaces in the shape that persons see. */

import { addressKey, parseNamedAddress } from '../../kernel/address.ts';
import { isoTime, isoTimeOrNull } from '../../kernel/clock.ts';
import { findLapse } from '../../store/accounts/claims.ts';
import { maySend, type Workspace } from '../../store/accounts/workspaces.ts';
import type { WorkspaceView } from './contract.ts';

/** The form of an owner's address for comparison. */
const ownerKey = (ownerEmail: string): string => {
  const parsed = parseNamedAddress(ownerEmail);
  return parsed ? addressKey(parsed.address) : ownerEmail;
};

export const viewWorkspace = (workspace: Workspace, subdomain: string): WorkspaceView => ({
  id: workspace.id,
  name: workspace.name,
  slug: workspace.slug,
  subdomain,
  plan: workspace.plan,
  tier: workspace.tier,
  owner_email: ownerKey(workspace.ownerEmail),
  sending_state: workspace.sendingState,
  may_send: maySend(workspace),
  claim: workspace.claimHash === null ? null : workspace.claimedAt === null ? 'open' : 'claimed',
  lapses_at: isoTimeOrNull(findLapse(workspace)),
  verified_at: isoTimeOrNull(workspace.verifiedAt),
  created_at: isoTime(workspace.createdAt),
});
