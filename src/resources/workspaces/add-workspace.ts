import type { BaseDomainNeeds } from '../../domains/base-domain.ts';
import { makeDkimKeys } from '../../domains/signing-keys.ts';
import { addressKey, type DomainName, parseDomain, parseNamedAddress } from '../../kernel/address.ts';
import { toNormalForm } from '../../kernel/text/normal-form.ts';
import { type Domain, insertDomain } from '../../store/accounts/domains.ts';
import { insertWorkspace, isSlugTaken, type NewWorkspaceRow } from '../../store/accounts/workspaces.ts';
import { addWorkspaceOwner, ensureOwner } from '../../store/owners/owners.ts';
import type { Tx } from '../../store/store.ts';

export interface NewWorkspace {
  name: string;
  ownerEmail: string;
  plan: string;
  /** Whether the owner's address is verified; without that nothing is sent. */
  verified: boolean;
  /** Set for an agent's signup: the workspace has no owner, and is on probation until a claim. */
  claimHash?: Buffer;
}

export interface AddWorkspaceNeeds extends BaseDomainNeeds {
  /** The instance's name, which no subdomain may be. */
  hostname?: string;
}

/** Labels under the base domain that hosts, mail programs or the instance's records use. */
const RESERVED_SLUGS = new Set(
  (
    'mx mx1 mx2 mail smtp imap pop pop3 ns ns1 ns2 dns www ftp api app console admin root localhost mta-sts autoconfig ' +
    'autodiscover postmaster abuse hostmaster webmaster security support help noreply no-reply'
  ).split(' '),
);
/** Numbered slugs to try before a random suffix. */
const MAX_NUMBERED = 20;

/** A DNS label from a name: `Acme, Inc.` becomes `acme-inc`. */
const toSlug = (name: string): string =>
  toNormalForm(name, 'NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
    .replace(/-+$/, '') || 'workspace';

const freeSlug = async ({ store, newId, hostname, baseDomain }: AddWorkspaceNeeds, wanted: string): Promise<string> => {
  const isFree = async (slug: string): Promise<boolean> =>
    !RESERVED_SLUGS.has(slug) && `${slug}.${baseDomain}` !== hostname && !(await isSlugTaken(store.read, slug));
  for (let n = 1; n <= MAX_NUMBERED; n += 1) {
    const slug = n === 1 ? wanted : `${wanted}-${n}`;
    if (await isFree(slug)) return slug;
  }
  // A UUID's end is random, so many signups with one name do not lengthen the search.
  return `${wanted}-${newId().slice(-8)}`;
};

export const toSubdomain = (slug: string, baseDomain: string): DomainName => {
  const domain = parseDomain(`${slug}.${baseDomain}`);
  if (!domain) throw new Error(`No domain can be made of ${slug} under ${baseDomain}.`);
  return domain;
};

/**
 * The workspace and its subdomain. Its DKIM keys exist from the start.
 * @param inTransaction runs in the same transaction
 */
export const addWorkspace = async <T>(
  needs: AddWorkspaceNeeds,
  wanted: NewWorkspace,
  inTransaction: (tx: Tx, workspace: NewWorkspaceRow, domain: Domain) => Promise<T>,
): Promise<T> => {
  for (;;) {
    const made = await tryToAdd(needs, wanted, inTransaction);
    if (made) return made.answer;
    // Another transaction took the slug: the keys, sealed for its name, are made again.
  }
};

/** @returns null where the slug was taken meanwhile */
const tryToAdd = async <T>(
  needs: AddWorkspaceNeeds,
  wanted: NewWorkspace,
  inTransaction: (tx: Tx, workspace: NewWorkspaceRow, domain: Domain) => Promise<T>,
): Promise<{ answer: T } | null> => {
  const { store, clock, newId, vaultKey, baseDomain } = needs;
  const now = clock.now();
  const slug = await freeSlug(needs, toSlug(wanted.name));
  const workspace: NewWorkspaceRow = {
    id: newId<'workspace'>(),
    name: wanted.name,
    slug,
    ownerEmail: wanted.ownerEmail,
    plan: wanted.plan,
    verifiedAt: wanted.verified ? now : null,
    createdAt: now,
    hidden: false,
    tier: wanted.claimHash ? 'probation' : 'standard',
    claimHash: wanted.claimHash ?? null,
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
    ownershipToken: null,
    failingSince: null,
    checkResult: null,
    receives: true,
  };
  return store.write(async (tx) => {
    if (!(await insertWorkspace(tx, workspace))) return null;
    await insertDomain(tx, domain, keys);
    if (!wanted.claimHash) await addFirstOwner(needs, tx, workspace);
    return { answer: await inTransaction(tx, workspace, domain) };
  });
};

const addFirstOwner = async (
  { newId }: Pick<AddWorkspaceNeeds, 'newId'>,
  tx: Tx,
  { id, ownerEmail, verifiedAt, createdAt }: NewWorkspaceRow,
): Promise<void> => {
  const parsed = parseNamedAddress(ownerEmail);
  if (!parsed) return;
  const email = addressKey(parsed.address);
  const owner = await ensureOwner(tx, { id: newId<'owner'>(), email, verifiedAt, createdAt });
  await addWorkspaceOwner(tx, id, owner.id, createdAt);
};
