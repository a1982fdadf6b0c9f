/**
 * Claims a workspace that an agent signed up for: mails a link to the address given at signup, and completes the claim
 * by it.
 */

import { createRateLimit } from '../../access/rate-limit.ts';
import { type Address, parseAddress } from '../../kernel/address.ts';
import { DAY, HOUR, type Millis } from '../../kernel/clock.ts';
import { siteOf } from '../../net/ip/client-network.ts';
import { hashSecretToken } from '../../seal/secret-token.ts';
import { listAgents } from '../../store/accounts/agents.ts';
import { findLapse, findWorkspaceByClaim, setClaimed } from '../../store/accounts/claims.ts';
import { findLiveWorkspace, setVerified, type Workspace } from '../../store/accounts/workspaces.ts';
import { isOwnAddress } from '../../store/owners/own-addresses.ts';
import { addWorkspaceOwner, ensureOwner, setOwnerVerified } from '../../store/owners/owners.ts';
import { countSignInLinks, useSignInLink } from '../../store/owners/sign-in-links.ts';
import type { Db, Tx } from '../../store/store.ts';
import type { Needs } from '../needs.ts';
import {
  createMailedLink,
  findLink,
  type LinkFault,
  LinkRefused,
  type MailedLink,
  type SignInNeeds,
} from './sign-in.ts';
import { addSignInLink, signInUrl } from './sign-in-links.ts';

/** Claims mailed to one address: a signup may name any address, unproven. */
const MAX_CLAIMS_PER_HOUR = 3;
const MAX_CLAIMS_PER_DAY = 10;
/** Half of them per site, so that signups of one site leave half for the address itself. */
const MAX_CLAIMS_PER_SITE = 5;

export interface ClaimView {
  workspace: string;
  agents: { handle: string; address: string; description: string | null }[];
  /** As `a…@example.com`; null where none was given at signup. */
  mailedTo: string | null;
  isClaimed: boolean;
  /** Whether the operator verified it: it may then send, and does not lapse. */
  isVerified: boolean;
  isOnProbation: boolean;
  createdAt: Millis;
  /** Null: it does not lapse. */
  lapsesAt: Millis | null;
}

type ClaimNeeds = Omit<SignInNeeds, 'onOwnAddress'> & Needs<'events' | 'newId' | 'isLocalOnly'>;

/** The fault of a mailed link that claims nothing. */
export type ClaimFault = LinkFault | 'claimed';

/** The mailed link claims the workspace, and verifies the address. */
export interface Claims extends MailedLink<ClaimView> {
  /** Null for a token of no workspace. */
  findOpen(token: string): Promise<ClaimView | null>;
  /** @param network of the visitor (net/ip/client-network.ts) */
  mailLink(
    token: string,
    network: string,
  ): Promise<'mailed' | 'limited' | 'claimed' | 'no-address' | 'local' | 'unknown'>;
}

/** Keeps the first character only: anyone with the agent's link sees the page. */
const maskAddress = (email: string): string => `${[...email][0]}…${email.slice(email.lastIndexOf('@'))}`;

const toView = async (db: Db, workspace: Workspace): Promise<ClaimView> => ({
  workspace: workspace.name,
  agents: (await listAgents(db, workspace.id)).map(({ handle, address, description }) => ({
    handle,
    address,
    description,
  })),
  mailedTo: workspace.ownerEmail === '' ? null : maskAddress(workspace.ownerEmail),
  isClaimed: workspace.claimedAt !== null,
  isVerified: workspace.verifiedAt !== null,
  isOnProbation: workspace.tier === 'probation',
  createdAt: workspace.createdAt,
  lapsesAt: findLapse(workspace),
});

export const createClaims = (needs: ClaimNeeds): Claims => {
  const { store, clock, activity, events, publicUrl, baseDomain, isLocalOnly, newId, writeNotice } = needs;

  const ofSite = createRateLimit(clock, MAX_CLAIMS_PER_SITE, DAY);

  const findByToken = async (db: Db, token: string): Promise<Workspace | null> => {
    const hash = hashSecretToken(token);
    return hash && findWorkspaceByClaim(db, hash);
  };

  const isLimited = async (tx: Tx, email: Address, now: Millis): Promise<boolean> =>
    (await countSignInLinks(tx.db, email, 'claim', now - HOUR)) >= MAX_CLAIMS_PER_HOUR ||
    (await countSignInLinks(tx.db, email, 'claim', now - DAY)) >= MAX_CLAIMS_PER_DAY;

  const mailLink = (token: string): ReturnType<Claims['mailLink']> =>
    store.write(async (tx) => {
      const workspace = await findByToken(tx.db, token);
      if (!workspace) return 'unknown';
      if (workspace.claimedAt !== null) return 'claimed';
      const email = parseAddress(workspace.ownerEmail);
      if (!email || (await isOwnAddress(tx.db, email, baseDomain))) return 'no-address';
      const now = clock.now();
      if (await isLimited(tx, email, now)) return 'limited';
      const link = await addSignInLink(tx, { email, kind: 'claim', workspaceId: workspace.id }, now);
      const [agent] = await listAgents(tx.db, workspace.id);
      const data = { url: signInUrl(publicUrl, link), address: agent?.address ?? workspace.slug };
      await writeNotice(tx, { kind: 'claim', data: { ...data, until: link.expiresAt }, ownerEmail: email });
      return 'mailed';
    });

  return {
    findOpen: async (token) => {
      const workspace = await findByToken(store.read, token);
      return workspace && toView(store.read, workspace);
    },

    mailLink: async (token, network) => {
      const workspace = await findByToken(store.read, token);
      if (!workspace) return 'unknown';
      if (workspace.claimedAt !== null) return 'claimed';
      if (isLocalOnly) return 'local';
      // Taken before the transaction, which may run twice.
      const place = `${siteOf(network)} ${workspace.ownerEmail}`;
      if (!ofSite.take(place).allowed) return 'limited';
      const outcome = await mailLink(token);
      if (outcome !== 'mailed') ofSite.giveBack(place);
      return outcome;
    },

    ...createMailedLink(needs, {
      find: async (db, token) => {
        const link = await findLink(db, token, ['claim'], needs);
        const workspace = link.workspaceId && (await findLiveWorkspace(db, link.workspaceId));
        if (!workspace || workspace.ownerEmail !== link.email) {
          throw new LinkRefused('unknown');
        }
        if (workspace.claimedAt !== null) throw new LinkRefused<ClaimFault>('claimed');
        return { link, workspace };
      },
      view: ({ workspace }) => toView(store.read, workspace),
      use: async (tx, { link, workspace: { id, slug } }, now) => {
        if (!(await useSignInLink(tx, link.hash, now))) throw new LinkRefused('used');
        if (!(await setClaimed(tx, id, now))) throw new LinkRefused<ClaimFault>('claimed');
        const known = { id: newId<'owner'>(), email: link.email, verifiedAt: now, createdAt: now };
        const owner = await ensureOwner(tx, known);
        await setOwnerVerified(tx, owner.id, now);
        await addWorkspaceOwner(tx, id, owner.id, now);
        await setVerified(tx, id, now);
        const about = { workspaceId: id, actor: owner.email, subject: slug, via: 'console' } as const;
        await activity.record(tx, { ...about, action: 'workspace.claim' });
        for (const { handle, address, mailboxId } of await listAgents(tx.db, id)) {
          const data = { workspace_id: id, handle, address };
          await events.publish(tx, { name: 'agent.claimed', workspaceId: id, mailboxId, data });
        }
        return owner;
      },
    }),
  };
};
