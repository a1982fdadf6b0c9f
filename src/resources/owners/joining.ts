/** Accepts an invitation: an act of a person without a session, called by pages, without dispatch. */

import { type Address, isAddressOf } from '../../kernel/address.ts';
import { hashSecretToken } from '../../seal/secret-token.ts';
import { findLiveWorkspace, setOwnerEmail } from '../../store/accounts/workspaces.ts';
import { endInvitation, findInvitation } from '../../store/owners/invitations.ts';
import { isOwnAddress, isOwnerAddress } from '../../store/owners/own-addresses.ts';
import { addWorkspaceOwner, ensureOwner, listWorkspaceOwners, setOwnerVerified } from '../../store/owners/owners.ts';
import type { Needs } from '../needs.ts';
import { createMailedLink, LinkRefused, type MailedLink } from './sign-in.ts';

/** The fault of an invitation's link. */
export type InvitationFault = 'unknown' | 'ended' | 'expired' | 'own';

const refused = (fault: InvitationFault): Error => new LinkRefused(fault);

export interface OpenInvitation {
  email: Address;
  invitedBy: Address;
  /** The slug: a name may hold any text. */
  workspace: string;
  /** Owns another workspace. The link, open for days, then joins alone: signing in would open that one too. */
  isOwner: boolean;
}

/** Makes the person an owner, and proves the address. */
export const createJoining = (
  needs: Needs<'store' | 'clock' | 'newId' | 'activity' | 'baseDomain' | 'ownerSessions'>,
): MailedLink<OpenInvitation> => {
  const { clock, activity, baseDomain, newId } = needs;
  return createMailedLink(needs, {
    find: async (db, token) => {
      const hash = hashSecretToken(token);
      const invitation = hash && (await findInvitation(db, hash));
      const workspace = invitation && (await findLiveWorkspace(db, invitation.workspaceId));
      if (!invitation || !workspace) throw refused('unknown');
      if (invitation.endedAt !== null) throw refused('ended');
      if (invitation.expiresAt <= clock.now()) throw refused('expired');
      const owners = await listWorkspaceOwners(db, workspace.id);
      if (!owners.some(({ email }) => isAddressOf(email, invitation.invitedBy))) throw refused('ended');
      if (await isOwnAddress(db, invitation.email, baseDomain)) throw refused('own');
      return { invitation, workspace, isOwner: await isOwnerAddress(db, invitation.email) };
    },
    view: ({ invitation: { email, invitedBy }, workspace: { slug }, isOwner }) => ({
      email,
      invitedBy,
      workspace: slug,
      isOwner,
    }),
    use: async (tx, { invitation: { hash, email, invitedBy }, workspace: { id, slug, ownerEmail }, isOwner }, now) => {
      if (!(await endInvitation(tx, hash, now))) throw refused('ended');
      const owner = await ensureOwner(tx, { id: newId<'owner'>(), email, verifiedAt: now, createdAt: now });
      await setOwnerVerified(tx, owner.id, now);
      await addWorkspaceOwner(tx, id, owner.id, now);
      if (ownerEmail === '') await setOwnerEmail(tx, id, email);
      const about = { workspaceId: id, actor: email, subject: slug, via: 'console' } as const;
      await activity.record(tx, { ...about, action: 'owner.join', detail: { invited_by: invitedBy } });
      return isOwner ? null : owner;
    },
  });
};
