/** What the pages for owners call: claims, invitations, and signing in. */

import { createOwnerSessions } from '../../access/owner-sessions.ts';
import type { Config } from '../../config/config.ts';
import type { Events } from '../../events/publish-events.ts';
import { createClaims } from '../../resources/owners/claims.ts';
import { createJoining } from '../../resources/owners/joining.ts';
import { createSignIn } from '../../resources/owners/sign-in.ts';
import type { NoticesPart } from '../notices.ts';
import type { Storage } from '../storage.ts';

export const createOwnerPages = (
  { public_url: publicUrl, base_domain: baseDomain, hostname, outbound }: Config,
  { store, newId, activity, runtime: { clock } }: Storage,
  notices: NoticesPart,
  events: Events,
) => {
  const sessions = createOwnerSessions(store, clock);
  const needs = {
    store,
    clock,
    newId,
    activity,
    events,
    publicUrl,
    baseDomain,
    isLocalOnly: outbound.local_only,
    ownerSessions: sessions,
    onOwnAddress: (email: string) => notices.logOwnAddress('sign-in', email),
    writeNotice: notices.write,
  };
  return {
    ...{ publicUrl, hostname, clock, sessions, isLocalOnly: outbound.local_only },
    claims: createClaims(needs),
    joining: createJoining(needs),
    signIn: createSignIn(needs),
  };
};
