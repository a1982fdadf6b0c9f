/** Signs in by a mailed link: an act of a person without a session, called by pages, without dispatch. */

import { type Address, addressKey, isAddressOf, parseAddress } from '../../kernel/address.ts';
import { HOUR, type Millis } from '../../kernel/clock.ts';
import type { ActivityDetail } from '../../kernel/operation.ts';
import { hashSecretToken } from '../../seal/secret-token.ts';
import { setVerified } from '../../store/accounts/workspaces.ts';
import { isOwnAddress, isOwnerAddress } from '../../store/owners/own-addresses.ts';
import { findOwner, listWorkspacesOf, type Owner, setOwnerVerified } from '../../store/owners/owners.ts';
import { countSignInLinks, findSignInLink, type SignInLink, useSignInLink } from '../../store/owners/sign-in-links.ts';
import type { Db, Tx } from '../../store/store.ts';
import type { Needs } from '../needs.ts';
import { addSignInLink, signInUrl } from './sign-in-links.ts';

/** Sign-in links that are mailed to an address in an hour. */
const MAX_LINKS_PER_HOUR = 5;

/** Why a link does nothing. */
export type LinkFault = 'unknown' | 'used' | 'expired' | 'own';

export class LinkRefused<F extends string = LinkFault> extends Error {
  readonly fault: F;

  constructor(fault: F) {
    super(`The link is refused: ${fault}.`);
    this.fault = fault;
  }
}

/** A mailed link: its page shows what it does, with one button that does it. */
export interface MailedLink<View> {
  /** What the link would do. @throws LinkRefused */
  find(token: string): Promise<View>;
  /**
   * Uses the link, and signs its person in.
   * @param browser names what is signed in
   * @returns the session's secret, or null where the link signs nobody in
   */
  use(token: string, browser: string): Promise<string | null>;
}

export interface SignInNeeds
  extends Needs<'store' | 'clock' | 'activity' | 'publicUrl' | 'baseDomain' | 'ownerSessions' | 'writeNotice'> {
  /** Called where this instance receives the owner's address, so that no link is mailed to it. */
  onOwnAddress: (email: Address) => void;
}

/** Shows the address that it signs in. */
export interface SignIn extends MailedLink<Address> {
  /** Mails a link to an owner's address, up to a rate. Resolves alike in all cases. */
  mailLink(email: string): Promise<void>;
}

/**
 * The link of a token. A mailed link is void once this instance receives its address, because an agent may have read
 * it.
 * @throws LinkRefused
 */
export const findLink = async (
  db: Db,
  token: string,
  kinds: readonly SignInLink['kind'][],
  { clock, baseDomain }: Needs<'clock' | 'baseDomain'>,
): Promise<SignInLink> => {
  const hash = hashSecretToken(token);
  const link = hash && (await findSignInLink(db, hash));
  if (!link || !kinds.includes(link.kind)) throw new LinkRefused('unknown');
  if (link.kind !== 'printed' && (await isOwnAddress(db, link.email, baseDomain))) throw new LinkRefused('own');
  if (link.usedAt !== null) throw new LinkRefused('used');
  if (link.expiresAt <= clock.now()) throw new LinkRefused('expired');
  return link;
};

/** Records that the owner signed in, in the log of each of its workspaces. */
export const recordSignIn = async (
  { activity }: Needs<'activity'>,
  tx: Tx,
  { id, email }: Pick<Owner, 'id' | 'email'>,
  detail: ActivityDetail = {},
): Promise<void> => {
  const workspaces = await listWorkspacesOf(tx.db, id);
  const about = { actor: email, action: 'session.start', subject: email, via: 'console', detail } as const;
  if (workspaces.length === 0) await activity.record(tx, { ...about, workspaceId: null });
  for (const workspace of workspaces) await activity.record(tx, { ...about, workspaceId: workspace.id });
};

interface LinkWork<Found, View> {
  /** @throws LinkRefused */
  find(db: Db, token: string): Promise<Found>;
  view(found: Found): View | Promise<View>;
  /** @returns the person that it signs in, or null. @throws LinkRefused */
  use(tx: Tx, found: Found, now: Millis): Promise<Owner | null>;
}

export const createMailedLink = <Found, View>(
  needs: Needs<'store' | 'clock' | 'activity' | 'ownerSessions'>,
  { find, view, use }: LinkWork<Found, View>,
): MailedLink<View> => ({
  find: async (token) => view(await find(needs.store.read, token)),
  use: (token, browser) =>
    needs.store.write(async (tx) => {
      const owner = await use(tx, await find(tx.db, token), needs.clock.now());
      if (!owner) return null;
      const session = await needs.ownerSessions.begin(tx, owner.id, browser);
      await recordSignIn(needs, tx, owner);
      return session;
    }),
});

export const createSignIn = (needs: SignInNeeds): SignIn => {
  const { store, clock, activity, publicUrl, baseDomain, onOwnAddress, writeNotice } = needs;

  /** A used mailed link proves the address, for the owner and for workspaces with notices to it. */
  const verify = async (tx: Tx, { id, email }: Owner, now: Millis): Promise<void> => {
    await setOwnerVerified(tx, id, now);
    for (const { id: workspaceId, slug, ownerEmail, verifiedAt } of await listWorkspacesOf(tx.db, id)) {
      if (verifiedAt !== null || !isAddressOf(ownerEmail, email)) continue;
      await setVerified(tx, workspaceId, now);
      const about = { actor: email, action: 'workspace.verify', subject: slug, via: 'console' } as const;
      await activity.record(tx, { ...about, workspaceId });
    }
  };

  return {
    mailLink: async (text) => {
      const parsed = parseAddress(text);
      const email = parsed && addressKey(parsed);
      if (!email || !(await isOwnerAddress(store.read, email))) return;
      if (await isOwnAddress(store.read, email, baseDomain)) return onOwnAddress(email);
      await store.write(async (tx) => {
        const now = clock.now();
        if ((await countSignInLinks(tx.db, email, 'mailed', now - HOUR)) >= MAX_LINKS_PER_HOUR) return;
        const link = await addSignInLink(tx, { email, kind: 'mailed', workspaceId: null }, now);
        const data = { url: signInUrl(publicUrl, link), until: link.expiresAt };
        await writeNotice(tx, { kind: 'sign-in', data, ownerEmail: email });
      });
    },

    ...createMailedLink(needs, {
      find: async (db, token) => {
        const link = await findLink(db, token, ['mailed', 'printed'], needs);
        const owner = (await isOwnerAddress(db, link.email)) ? await findOwner(db, link.email) : null;
        if (!owner) throw new LinkRefused('unknown');
        return { link, owner };
      },
      view: ({ owner }) => owner.email,
      use: async (tx, { link, owner }, now) => {
        if (!(await useSignInLink(tx, link.hash, now))) throw new LinkRefused('used');
        if (link.kind === 'mailed') await verify(tx, owner, now);
        return owner;
      },
    }),
  };
};
