/**
 * Invites further owners. The invited person becomes an owner only by using the mailed link: a named address has
 * agreed to nothing.
 */

import { requireForeignAddress } from '../../access/own-address.ts';
import { requireWorkspace } from '../../access/reach.ts';
import { viewOf } from '../../access/view-of.ts';
import { type Address, addressKey } from '../../kernel/address.ts';
import { emailOfOwner } from '../../kernel/caller.ts';
import { DAY, HOUR, type Millis } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import type { WorkspaceId } from '../../kernel/ids.ts';
import { newSecret } from '../../seal/secret-token.ts';
import {
  countInvitationsOf,
  countInvitationsTo,
  endInvitationsTo,
  insertInvitation,
  listOpenInvitations,
} from '../../store/owners/invitations.ts';
import { listWorkspaceOwners } from '../../store/owners/owners.ts';
import type { Tx } from '../../store/store.ts';
import type { Needs } from '../needs.ts';
import { invitationShape, type invitationsContract } from './invitations-contract.ts';

const INVITATION_VALID_MS = 7 * DAY;
/** Mails to one address, which any workspace may name. */
const MAX_TO_ADDRESS = { hour: 3, day: 10 };
const MAX_OF_WORKSPACE_PER_DAY = 20;

const view = viewOf(invitationShape);

/** @throws ApiError invitation_limit_reached */
const requireFew = async (tx: Tx, workspaceId: WorkspaceId, email: Address, now: Millis): Promise<void> => {
  const isManyTo =
    (await countInvitationsTo(tx.db, email, now - HOUR)) >= MAX_TO_ADDRESS.hour ||
    (await countInvitationsTo(tx.db, email, now - DAY)) >= MAX_TO_ADDRESS.day;
  if (isManyTo) {
    const hint = `${email} was sent ${MAX_TO_ADDRESS.hour} invitations within an hour, or ${MAX_TO_ADDRESS.day} within a day. Come back later.`;
    throw new ApiError('invitation_limit_reached', { hint });
  }
  if ((await countInvitationsOf(tx.db, workspaceId, now - DAY)) < MAX_OF_WORKSPACE_PER_DAY) return;
  const hint = `A workspace sends ${MAX_OF_WORKSPACE_PER_DAY} invitations a day. Come back tomorrow.`;
  throw new ApiError('invitation_limit_reached', { hint });
};

export const createInvitations = (
  needs: Needs<'store' | 'clock' | 'publicUrl' | 'baseDomain' | 'isLocalOnly' | 'writeNotice'>,
): Handlers<typeof invitationsContract> => {
  const { store, clock, publicUrl, baseDomain, isLocalOnly, writeNotice } = needs;
  return {
    add: async (caller, { email: named }, { record }) => {
      const email = addressKey(named.address);
      const { id, slug, name } = await requireWorkspace(store.read, caller);
      await requireForeignAddress(store.read, email, baseDomain);
      if (isLocalOnly) throw new ApiError('mail_stays_here', { fields: { email, workspace: slug } });
      return store.write(async (tx) => {
        if ((await listWorkspaceOwners(tx.db, id)).some((owner) => owner.email === email)) {
          throw new ApiError('owner_exists', { fields: { email, workspace: name } });
        }
        const now = clock.now();
        await requireFew(tx, id, email, now);
        await endInvitationsTo(tx, id, email, now);
        const { token, hash } = newSecret();
        const invitedBy = emailOfOwner(caller);
        const invitation = {
          hash,
          workspaceId: id,
          email,
          invitedBy,
          createdAt: now,
          expiresAt: now + INVITATION_VALID_MS,
        };
        await insertInvitation(tx, invitation);
        const data = {
          url: `${publicUrl}/invitation/${token}`,
          invitedBy,
          workspace: slug,
          until: invitation.expiresAt,
        };
        await writeNotice(tx, { kind: 'invitation', data, ownerEmail: email });
        return record(tx, { workspaceId: id, subject: email, detail: {} }, view(invitation));
      });
    },

    list: async ({ workspaceId }) => ({
      invitations: (await listOpenInvitations(store.read, workspaceId, clock.now())).map(view),
    }),

    remove: async ({ workspaceId }, { email: named }, { record }) => {
      const email = addressKey(named.address);
      return store.write(async (tx) => {
        if (!(await endInvitationsTo(tx, workspaceId, email, clock.now()))) {
          throw new ApiError('invitation_not_found', { fields: { email } });
        }
        return record(tx, { workspaceId, subject: email, detail: {} }, { email, withdrawn: true as const });
      });
    },
  };
};
