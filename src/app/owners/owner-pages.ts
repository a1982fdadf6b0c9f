/** The functions behind the pages for owners: claims, invitations, signing in and out. */

import type { Dispatch } from '../../access/dispatch.ts';
import type { Events } from '../../events/publish-events.ts';
import type { SessionCaller } from '../../kernel/caller.ts';
import type { Bound } from '../../kernel/handlers.ts';
import type { Operation } from '../../kernel/operation.ts';
import { contracts } from '../../resources/contracts.ts';
import { createClaims } from '../../resources/owners/claims.ts';
import { createJoining } from '../../resources/owners/joining.ts';
import { createSignIn } from '../../resources/owners/sign-in.ts';
import type { NoticesPart } from '../notices.ts';
import type { toInstanceNeeds } from '../operations.ts';

export const createOwnerPages = (
  instanceNeeds: ReturnType<typeof toInstanceNeeds>,
  notices: NoticesPart,
  { operations, dispatch, events }: { operations: readonly Bound<Operation>[]; dispatch: Dispatch; events: Events },
) => {
  const needs = {
    ...instanceNeeds,
    events,
    onOwnAddress: (email: string) => notices.logOwnAddress('sign-in', email),
    writeNotice: notices.write,
  };
  const { publicUrl, hostname, isLocalOnly, ownerSessions: sessions } = needs;
  const end = operations.find(({ operation }) => operation === contracts.session.end);
  if (!end) throw new Error('Signing out is not bound.');
  return {
    publicUrl,
    hostname,
    sessions,
    isLocalOnly,
    claims: createClaims(needs),
    joining: createJoining(needs),
    signIn: createSignIn(needs),
    signOut: async (caller: SessionCaller, everywhere: boolean) => {
      await dispatch(end, { caller, input: { everywhere }, idempotencyKey: null, via: 'console' });
    },
  };
};
