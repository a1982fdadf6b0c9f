/** Accepts an invitation: an act of a person without a session, called by pages, without dispatch. */

import { type Address, isAddressOf } from '../../kernel/address.ts';
import { hashSecretToken } from '../../seal/secret-token.ts';
import { findWorkspaceById, setOwnerEmail, type Workspace } from '../../store/accounts/workspaces.ts';
import { endInvitation, findInvitation, type Invitation } from '../../store/owners/invitations.ts';
import { isOwnAddress } from '../../store/owners/own-addresses.ts';
import { addWorkspaceOwner, ensureOwner, listWorkspaceOwners, setOwnerVerified } from '../../store/owners/owners.ts';
import type { Db } from '../../store/store.ts';
import type { Needs } from '../needs.ts';
import { type Fault, recordForOwner, type SignedIn, toFault } from './sign-in.ts';

/** The fault of an invitation's link. */
export type InvitationFault = 'unknown' | 'ended' | 'expired' | 'own';

export interface OpenInvitation {
  kind: 'open';
  email: Address;
  invitedBy: Address;
  /** The slug: a name may hold any text. */
  workspace: string;
}

export interface Joining {
  find(token: string): Promise<OpenInvitation | Fault<InvitationFault>>;
  /** Makes the person an owner, proves the address and signs in. */
  accept(token: string, browser: string): Promise<SignedIn | Fault<InvitationFault>>;
}

interface Found {
  kind: 'found';
  invitation: Invitation;
  workspace: Workspace;
}

export const createJoining = (
  needs: Needs<'store' | 'clock' | 'newId' | 'activity' | 'baseDomain' | 'ownerSessions'>,
): Joining => {
  const { store, clock, activity, baseDomain, newId, ownerSessions } = needs;

  const findOpen = async (db: Db, token: string): Promise<Found | Fault<InvitationFault>> => {
    const hash = hashSecretToken(token);
    const invitation = hash && (await findInvitation(db, hash));
    const workspace = invitation && (await findWorkspaceById(db, invitation.workspaceId));
    if (!invitation || !workspace || workspace.removedAt !== null) return toFault('unknown');
    if (invitation.endedAt !== null) return toFault('ended');
    if (invitation.expiresAt <= clock.now()) return toFault('expired');
    const owners = await listWorkspaceOwners(db, workspace.id);
    if (!owners.some(({ email }) => isAddressOf(email, invitation.invitedBy))) return toFault('ended');
    if (await isOwnAddress(db, invitation.email, baseDomain)) return toFault('own');
    return { kind: 'found', invitation, workspace };
  };

  return {
    find: async (token) => {
      const found = await findOpen(store.read, token);
      if (found.kind === 'fault') return found;
      const { email, invitedBy } = found.invitation;
      return { kind: 'open', email, invitedBy, workspace: found.workspace.slug };
    },

    accept: (token, browser) =>
      store.write(async (tx) => {
        const found = await findOpen(tx.db, token);
        if (found.kind === 'fault') return found;
        const { hash, email, invitedBy } = found.invitation;
        const { id, slug, ownerEmail } = found.workspace;
        const now = clock.now();
        if (!(await endInvitation(tx, hash, now))) return toFault('ended');
        const owner = await ensureOwner(tx, { id: newId<'owner'>(), email, verifiedAt: now, createdAt: now });
        await setOwnerVerified(tx, owner.id, now);
        await addWorkspaceOwner(tx, id, owner.id, now);
        if (ownerEmail === '') await setOwnerEmail(tx, id, email);
        const about = { workspaceId: id, actor: email, subject: slug, via: 'console' } as const;
        await activity.record(tx, { ...about, action: 'owner.join', detail: { invited_by: invitedBy } });
        const session = await ownerSessions.begin(tx, owner.id, browser);
        await recordForOwner(needs, tx, owner, 'session.start');
        return { kind: 'signed-in', session };
      }),
  };
};
