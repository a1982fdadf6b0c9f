/** Making a workspace and its subdomain. */

import type { BaseDomainNeeds } from '../../domains/base-domain.ts';
import { makeDkimKeys } from '../../domains/signing-keys.ts';
import { type DomainName, parseDomain } from '../../kernel/address.ts';
import { insertDomain } from '../../store/accounts/domains.ts';
import { insertWorkspace, isSlugTaken, type NewWorkspaceRow } from '../../store/accounts/workspaces.ts';
import type { Store, Tx } from '../../store/store.ts';

export interface NewWorkspace {
  name: string;
  ownerEmail: string;
  plan: string;
  /** Whether the owner's address counts as verified: until it does, nothing is sent. */
  verified: boolean;
}

/** A DNS label from a name: `Acme, Inc.` becomes `acme-inc`. */
const toSlug = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
    .replace(/-+$/, '') || 'workspace';

const freeSlug = async (store: Store, wanted: string): Promise<string> => {
  for (let n = 1; ; n += 1) {
    const slug = n === 1 ? wanted : `${wanted}-${n}`;
    if (!(await isSlugTaken(store.read, slug))) return slug;
  }
};

export const toSubdomain = (slug: string, baseDomain: string): DomainName => {
  const domain = parseDomain(`${slug}.${baseDomain}`);
  if (!domain) throw new Error(`No domain can be made of ${slug} under ${baseDomain}.`);
  return domain;
};

/**
 * The workspace and its subdomain, whose DKIM keys exist from the start.
 * @param alongside runs in the same transaction
 */
export const addWorkspace = async <T>(
  needs: BaseDomainNeeds,
  wanted: NewWorkspace,
  alongside: (tx: Tx, workspace: NewWorkspaceRow) => Promise<T>,
): Promise<T> => {
  const { store, clock, newId, vaultKey, baseDomain } = needs;
  const now = clock.now();
  const slug = await freeSlug(store, toSlug(wanted.name));
  const workspace: NewWorkspaceRow = {
    id: newId<'workspace'>(),
    name: wanted.name,
    slug,
    ownerEmail: wanted.ownerEmail,
    plan: wanted.plan,
    verifiedAt: wanted.verified ? now : null,
    createdAt: now,
    hidden: false,
    tier: 'standard',
  };
  const name = toSubdomain(slug, baseDomain);
  const keys = await makeDkimKeys(vaultKey, name, now);
  const domain = {
    id: newId<'domain'>(),
    workspaceId: workspace.id,
    name,
    kind: 'subdomain' as const,
    status: 'pending' as const,
    verifiedAt: null,
    lastCheckedAt: null,
    createdAt: now,
  };
  return store.write(async (tx) => {
    await insertWorkspace(tx, workspace);
    await insertDomain(tx, domain, keys);
    return alongside(tx, workspace);
  });
};
