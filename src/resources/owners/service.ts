import { requireForeignAddress } from '../../access/own-address.ts';
import { requireWorkspace } from '../../access/reach.ts';
import { type Address, addressKey, isAddressOf, type NamedAddress } from '../../kernel/address.ts';
import { isoTime, isoTimeOrNull } from '../../kernel/clock.ts';
import { ApiError, requireFound } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import { cancelOfOwner, cancelOrphaned } from '../../outbound/scheduled/cancel-orphaned.ts';
import { setClaimed } from '../../store/accounts/claims.ts';
import {
  findWorkspaceById,
  listWorkspaces,
  maySend,
  setOwnerEmail,
  setVerified,
  type Workspace,
} from '../../store/accounts/workspaces.ts';
import { narrowGrantsOf } from '../../store/oauth/revoke-grants.ts';
import { endOwnerWithoutWorkspace } from '../../store/owners/ended-owners.ts';
import { endInvitationsTo } from '../../store/owners/invitations.ts';
import { deleteDraftsOfOwner } from '../../store/owners/mail-drafts.ts';
import {
  addWorkspaceOwner,
  ensureOwner,
  findOwner,
  listWorkspaceOwners,
  type Owner,
  removeWorkspaceOwner,
} from '../../store/owners/owners.ts';
import { voidSignInLinks } from '../../store/owners/sign-in-links.ts';
import type { Db } from '../../store/store.ts';
import { toEndedDetail, viewEnded } from '../connections/view.ts';
import type { Needs } from '../needs.ts';
import type { ownersContract } from './contract.ts';
import { recordForWorkspaces } from './record-for-workspaces.ts';
import { addSignInLink, signInUrl } from './sign-in-links.ts';

const requireOwner = async (db: Db, email: Address): Promise<Owner> =>
  requireFound(await findOwner(db, email), 'owner_not_found', { fields: { email } });

/** Unclaimed workspaces of signups that named an address without an owner. */
const listNaming = async (db: Db, email: Address): Promise<string[]> =>
  (await listWorkspaces(db))
    .filter(({ claimHash, claimedAt, ownerEmail }) => claimHash !== null && claimedAt === null && ownerEmail === email)
    .map(({ slug }) => slug);

/** Finds the owner; without one, tells the operator about signups that name the address. */
const requireKnownOwner = async (db: Db, email: Address): Promise<Owner> => {
  const owner = await findOwner(db, email);
  if (owner) return owner;
  const named_by = await listNaming(db, email);
  throw new ApiError('owner_not_found', { fields: { email, ...(named_by.length > 0 && { named_by }) } });
};

const keyOf = ({ address }: NamedAddress): Address => addressKey(address);

const viewOwner = ({ email, verifiedAt, createdAt }: Owner, workspace: Workspace) => ({
  email,
  workspace: workspace.slug,
  verified_at: isoTimeOrNull(verifiedAt),
  may_send: maySend(workspace),
  created_at: isoTime(createdAt),
});

export const createOwners = (
  needs: Needs<'store' | 'clock' | 'newId' | 'publicUrl' | 'baseDomain' | 'ownerSessions' | 'events'>,
): Handlers<typeof ownersContract> => {
  const { store, clock, newId, publicUrl, baseDomain, ownerSessions, events } = needs;
  return {
    add: async (caller, { email: named }, { record }) => {
      const email = keyOf(named);
      return store.write(async (tx) => {
        const workspace = await requireWorkspace(tx.db, caller);
        await requireForeignAddress(tx.db, email, baseDomain);
        const { id, name, slug, ownerEmail, claimHash } = workspace;
        const now = clock.now();
        await endInvitationsTo(tx, id, email, now);
        const owner = await ensureOwner(tx, { id: newId<'owner'>(), email, verifiedAt: null, createdAt: now });
        if (!(await addWorkspaceOwner(tx, id, owner.id, now))) {
          throw new ApiError('owner_exists', { fields: { email, workspace: name } });
        }
        // By giving a signup an owner, the operator vouches for it: this claims and verifies the workspace.
        const isClaim = claimHash !== null && (await setClaimed(tx, id, now));
        if (isClaim || ownerEmail === '') await setOwnerEmail(tx, id, email);
        const isVerified = isClaim && (await setVerified(tx, id, now));
        const detail = { workspace: slug, claimed: isClaim, verified: isVerified };
        const after = (await findWorkspaceById(tx.db, id)) ?? workspace;
        return record(tx, { workspaceId: id, subject: email, detail }, viewOwner(owner, after));
      });
    },

    list: async ({ workspaceId = null }) => {
      const workspaces = new Map((await listWorkspaces(store.read)).map((each) => [each.id, each]));
      const owners = await listWorkspaceOwners(store.read, workspaceId);
      return {
        owners: owners.flatMap((owner) => {
          const workspace = workspaces.get(owner.workspaceId);
          return workspace ? [viewOwner(owner, workspace)] : [];
        }),
      };
    },

    remove: async (caller, { email: named }, { record }) => {
      const email = keyOf(named);
      return store.write(async (tx) => {
        const { id, slug, ownerEmail } = await requireWorkspace(tx.db, caller);
        const owner = await requireOwner(tx.db, email);
        const owners = await listWorkspaceOwners(tx.db, id);
        if (!owners.some((each) => each.id === owner.id)) throw new ApiError('owner_not_found', { fields: { email } });
        const next = owners.find((each) => each.id !== owner.id);
        if (!next) throw new ApiError('last_owner', { fields: { email, workspace: slug } });
        await removeWorkspaceOwner(tx, id, owner.id);
        await deleteDraftsOfOwner(tx, { workspaceId: id, owner: email });
        const now = clock.now();
        // An earlier mailed link would let the owner in again.
        await endInvitationsTo(tx, id, email, now);
        const narrowed = await narrowGrantsOf(tx, owner.id, now);
        const own = await cancelOfOwner(events, tx, id, email);
        const ended = {
          ...narrowed,
          scheduled: [...own, ...(await cancelOrphaned(events, tx, { workspaceId: id }, now))],
        };
        await endOwnerWithoutWorkspace(tx, owner.id);
        if (isAddressOf(ownerEmail, email)) await setOwnerEmail(tx, id, next.email);
        const act = { workspaceId: id, subject: email, detail: { workspace: slug, ...toEndedDetail(ended) } };
        return record(tx, act, { email, workspace: slug, removed: true as const, ended: viewEnded(ended) });
      });
    },

    addSignInLink: async (_caller, { email: named }, { record }) =>
      store.write(async (tx) => {
        const { id, email } = await requireKnownOwner(tx.db, keyOf(named));
        const link = await addSignInLink(tx, { email, kind: 'printed', workspaceId: null }, clock.now());
        const answer = { url: signInUrl(publicUrl, link), expires_at: isoTime(link.expiresAt) };
        return recordForWorkspaces(record, tx, id, { subject: email }, answer);
      }),

    signOut: async (_caller, { email: named }, { record }) =>
      store.write(async (tx) => {
        const { id, email } = await requireOwner(tx.db, keyOf(named));
        await voidSignInLinks(tx, email, clock.now());
        const ended = await ownerSessions.endAll(tx, id);
        const act = { subject: email, detail: { everywhere: true, ended } };
        return recordForWorkspaces(record, tx, id, act, { email, ended });
      }),
  };
};
