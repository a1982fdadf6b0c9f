/** Stored workspaces in the shape that persons see. */

import { viewOf } from '../../access/view-of.ts';
import { addressKey, parseNamedAddress } from '../../kernel/address.ts';
import { isoTimeOrNull } from '../../kernel/clock.ts';
import { findLapse } from '../../store/accounts/claims.ts';
import { maySend, type Workspace } from '../../store/accounts/workspaces.ts';
import { type WorkspaceView, workspaceShape } from './contract.ts';

/** The form of an owner's address for comparison. */
const ownerKey = (ownerEmail: string): string => {
  const parsed = parseNamedAddress(ownerEmail);
  return parsed ? addressKey(parsed.address) : ownerEmail;
};

const claimOf = ({ claimHash, claimedAt }: Workspace): WorkspaceView['claim'] => {
  if (claimHash === null) return null;
  return claimedAt === null ? 'open' : 'claimed';
};

export const viewWorkspace = viewOf(workspaceShape, (workspace: Workspace, subdomain: string) => ({
  subdomain,
  owner_email: ownerKey(workspace.ownerEmail),
  may_send: maySend(workspace),
  claim: claimOf(workspace),
  lapses_at: isoTimeOrNull(findLapse(workspace)),
}));
