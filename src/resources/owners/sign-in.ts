/** Signs in by a mailed link: an act of a person without a session, called by pages, without dispatch. */

import { type Address, addressKey, isAddressOf, parseAddress } from '../../kernel/address.ts';
import { HOUR, type Millis } from '../../kernel/clock.ts';
import type { ActivityAction, ActivityDetail } from '../../kernel/operation.ts';
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

/** The fault of a link. */
export type LinkFault = 'unknown' | 'used' | 'expired' | 'own';

/** The person that a link signs in. */
export interface LinkHolder {
  kind: 'holder';
  email: Address;
}

export interface SignInNeeds
  extends Needs<'store' | 'clock' | 'activity' | 'publicUrl' | 'baseDomain' | 'ownerSessions' | 'writeNotice'> {
  /** Called where this instance receives the owner's address, so that no link is mailed to it. */
  onOwnAddress: (email: Address) => void;
}

export interface Fault<F extends string> {
  kind: 'fault';
  fault: F;
}

export interface SignedIn {
  kind: 'signed-in';
  /** The session's secret. */
  session: string;
}

export const toFault = <F extends string>(fault: F): Fault<F> => ({ kind: 'fault', fault });

export interface SignIn {
  /** Mails a link to an owner's address, up to a rate. Resolves alike in all cases. */
  mailLink(email: string): Promise<void>;
  /** The person that the link would sign in. */
  findHolder(token: string): Promise<LinkHolder | Fault<LinkFault>>;
  /** Uses the link. @param browser names what is signed in */
  complete(token: string, browser: string): Promise<SignedIn | Fault<LinkFault>>;
}

/**
 * The link of a token, or its fault. A mailed link is void once this instance receives its address, because an agent
 * may have read it.
 */
export const findLink = async (
  db: Db,
  token: string,
  kinds: readonly SignInLink['kind'][],
  { now, baseDomain }: { now: Millis; baseDomain: string },
): Promise<{ kind: 'link'; link: SignInLink } | Fault<LinkFault>> => {
  const hash = hashSecretToken(token);
  const link = hash && (await findSignInLink(db, hash));
  if (!link || !kinds.includes(link.kind)) return toFault('unknown');
  if (link.kind !== 'printed' && (await isOwnAddress(db, link.email, baseDomain))) {
    return toFault('own');
  }
  if (link.usedAt !== null) return toFault('used');
  return link.expiresAt <= now ? toFault('expired') : { kind: 'link', link };
};

const KINDS = ['mailed', 'printed'] as const;

/** An act of the owner's, in the log of each of its workspaces. */
export const recordForOwner = async (
  { activity }: Pick<SignInNeeds, 'activity'>,
  tx: Tx,
  { id, email }: Pick<Owner, 'id' | 'email'>,
  action: ActivityAction,
  detail: ActivityDetail = {},
): Promise<void> => {
  const workspaces = await listWorkspacesOf(tx.db, id);
  const about = { actor: email, action, subject: email, via: 'console', detail } as const;
  if (workspaces.length === 0) await activity.record(tx, { ...about, workspaceId: null });
  for (const workspace of workspaces) await activity.record(tx, { ...about, workspaceId: workspace.id });
};

export const createSignIn = (needs: SignInNeeds): SignIn => {
  const { store, clock, activity, publicUrl, baseDomain, ownerSessions, onOwnAddress, writeNotice } = needs;

  /** The owner that a link signs in; null without a workspace. */
  const findLinkOwner = async (
    db: Db,
    token: string,
  ): Promise<{ kind: 'owner'; link: SignInLink; owner: Owner } | Fault<LinkFault>> => {
    const found = await findLink(db, token, KINDS, { now: clock.now(), baseDomain });
    if (found.kind === 'fault') return found;
    const { link } = found;
    const owner = (await isOwnerAddress(db, link.email)) ? await findOwner(db, link.email) : null;
    return owner ? { kind: 'owner', link, owner } : toFault('unknown');
  };

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

    findHolder: async (token) => {
      const found = await findLinkOwner(store.read, token);
      return found.kind === 'fault' ? found : { kind: 'holder', email: found.owner.email };
    },

    complete: (token, browser) =>
      store.write(async (tx) => {
        const found = await findLinkOwner(tx.db, token);
        if (found.kind === 'fault') return found;
        const { link, owner } = found;
        const now = clock.now();
        if (!(await useSignInLink(tx, link.hash, now))) return toFault('used');
        if (link.kind === 'mailed') await verify(tx, owner, now);
        const session = await ownerSessions.begin(tx, owner.id, browser);
        await recordForOwner(needs, tx, owner, 'session.start');
        return { kind: 'signed-in', session };
      }),
  };
};
