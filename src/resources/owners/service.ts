/** The owners resource. */

import { requireForeignAddress } from '../../access/own-address.ts';
import type { OwnerSessions } from '../../access/owner-sessions.ts';
import { reachOfList, reachWorkspace } from '../../access/reach.ts';
import { type Address, addressKey, isAddressOf, type NamedAddress } from '../../kernel/address.ts';
import { type Clock, isoTime, isoTimeOrNull } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { NewId } from '../../kernel/ids.ts';
import type { Handlers } from '../../kernel/operation.ts';
import { setClaimed } from '../../store/accounts/claims.ts';
import { listWorkspaces, setOwnerEmail } from '../../store/accounts/workspaces.ts';
import {
  addWorkspaceOwner,
  ensureOwner,
  findOwner,
  listWorkspaceOwners,
  type Owner,
  removeWorkspaceOwner,
} from '../../store/owners/owners.ts';
import { voidSignInLinks } from '../../store/owners/sign-in-links.ts';
import type { Db, Store } from '../../store/store.ts';
import type { ownersContract } from './contract.ts';
import { addSignInLink, signInUrl } from './sign-in-links.ts';

export interface OwnersNeeds {
  store: Store;
  clock: Clock;
  newId: NewId;
  publicUrl: string;
  baseDomain: string;
  ownerSessions: Pick<OwnerSessions, 'endAll'>;
}

const requireOwner = async (db: Db, email: Address): Promise<Owner> => {
  const owner = await findOwner(db, email);
  if (!owner) throw new ApiError('owner_not_found', { fields: { email } });
  return owner;
};

const keyOf = ({ address }: NamedAddress): Address => addressKey(address);

const viewOwner = ({ email, verifiedAt, createdAt }: Owner, workspace: string) => ({
  email,
  workspace,
  verified_at: isoTimeOrNull(verifiedAt),
  created_at: isoTime(createdAt),
});

export const createOwners = (needs: OwnersNeeds): Handlers<typeof ownersContract> => {
  const { store, clock, newId, publicUrl, baseDomain, ownerSessions } = needs;
  return {
    add: async (caller, { email: named, workspace: text }, { record }) => {
      const email = keyOf(named);
      await requireForeignAddress(store.read, email, baseDomain);
      const { id, name, slug, ownerEmail, claimHash } = await reachWorkspace(store.read, caller, text);
      return store.write(async (tx) => {
        await tx.lock(`workspace ${id}`);
        const now = clock.now();
        const owner = await ensureOwner(tx, { id: newId<'owner'>(), email, verifiedAt: null, createdAt: now });
        if (!(await addWorkspaceOwner(tx, id, owner.id, now))) {
          throw new ApiError('owner_exists', { fields: { email, workspace: name } });
        }
        // An operator's act claims an unclaimed signup for the owner that it names.
        const isClaim = claimHash !== null && (await setClaimed(tx, id, now));
        if (isClaim || ownerEmail === '') await setOwnerEmail(tx, id, email);
        const act = { workspaceId: id, subject: email, detail: { workspace: slug, claimed: isClaim } };
        return record(tx, act, viewOwner(owner, slug));
      });
    },

    list: async (caller, { workspace: text }) => {
      const reach = await reachOfList(store.read, caller, text);
      const slugs = new Map((await listWorkspaces(store.read)).map(({ id, slug }) => [id, slug]));
      const owners = await listWorkspaceOwners(store.read, reach);
      return {
        owners: owners.flatMap((owner) => {
          const slug = slugs.get(owner.workspaceId);
          return slug === undefined ? [] : [viewOwner(owner, slug)];
        }),
      };
    },

    remove: async (caller, { email: named, workspace: text }, { record }) => {
      const email = keyOf(named);
      const { id, slug, ownerEmail } = await reachWorkspace(store.read, caller, text);
      return store.write(async (tx) => {
        await tx.lock(`workspace ${id}`);
        const owner = await requireOwner(tx.db, email);
        const owners = await listWorkspaceOwners(tx.db, id);
        if (!owners.some((each) => each.id === owner.id)) throw new ApiError('owner_not_found', { fields: { email } });
        const next = owners.find((each) => each.id !== owner.id);
        if (!next) throw new ApiError('last_owner', { fields: { email, workspace: slug } });
        await removeWorkspaceOwner(tx, id, owner.id);
        if (isAddressOf(ownerEmail, email)) await setOwnerEmail(tx, id, next.email);
        const act = { workspaceId: id, subject: email, detail: { workspace: slug } };
        return record(tx, act, { email, workspace: slug, removed: true as const });
      });
    },

    addSignInLink: async (_caller, { email: named }, { record }) =>
      store.write(async (tx) => {
        const { email } = await requireOwner(tx.db, keyOf(named));
        const link = await addSignInLink(tx, { email, kind: 'printed', workspaceId: null }, clock.now());
        const answer = { url: signInUrl(publicUrl, link), expires_at: isoTime(link.expiresAt) };
        return record(tx, { workspaceId: null, subject: email }, answer);
      }),

    signOut: async (_caller, { email: named }, { record }) =>
      store.write(async (tx) => {
        const { id, email } = await requireOwner(tx.db, keyOf(named));
        await voidSignInLinks(tx, email, clock.now());
        const ended = await ownerSessions.endAll(tx, id);
        return record(tx, { workspaceId: null, subject: email, detail: { everywhere: true, ended } }, { email, ended });
      }),
  };
};
