/** Makes sign-in links: a secret of 32 random bytes, stored as a hash, valid once within 15 minutes. */

import { MINUTE, type Millis } from '../../kernel/clock.ts';
import { newSecret } from '../../seal/secret-token.ts';
import { insertSignInLink, type SignInLink } from '../../store/owners/sign-in-links.ts';
import type { Tx } from '../../store/store.ts';

const LINK_VALID_MS = 15 * MINUTE;

export interface NewSignInLink {
  token: string;
  kind: SignInLink['kind'];
  expiresAt: Millis;
}

export const addSignInLink = async (
  tx: Tx,
  link: Pick<SignInLink, 'email' | 'kind' | 'workspaceId'>,
  now: Millis,
): Promise<NewSignInLink> => {
  const { token, hash } = newSecret();
  const expiresAt = now + LINK_VALID_MS;
  await insertSignInLink(tx, { ...link, hash, createdAt: now, expiresAt });
  return { token, kind: link.kind, expiresAt };
};

export const signInUrl = (publicUrl: string, { token, kind }: Pick<NewSignInLink, 'token' | 'kind'>): string =>
  kind === 'claim' ? `${publicUrl}/claim/confirm/${token}` : `${publicUrl}/console/sign-in/${token}`;
