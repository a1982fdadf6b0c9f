/**
 * The secrets resource. An agent gets the same answer for an ungranted secret as for a missing one, after the same
 * queries.
 */

import { viewOf } from '../../access/view-of.ts';
import { type AgentCaller, mailboxOf, type OwnerCaller } from '../../kernel/caller.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import { isGrantedWithSeed } from '../../store/vault/secret-grants.ts';
import { findGrantedSecret, findVersionedSecret, listGrantedSecrets } from '../../store/vault/secrets.ts';
import { TOTP_FIELD } from '../../vault/secret-value.ts';
import { secretEntryShape, type secretsContract } from './contract.ts';
import { createManaging, type ManagingNeeds } from './manage-secrets.ts';
import { createOpening, type OpeningNeeds, toCode } from './open-secret.ts';

const viewSecret = viewOf(secretEntryShape);

export const createSecrets = (needs: OpeningNeeds & ManagingNeeds): Handlers<typeof secretsContract> => {
  const { store, clock } = needs;
  const { viewAll, handlers } = createManaging(needs);
  /** An agent opens secrets granted at that moment; an owner any of the workspace. */
  const opening = createOpening<AgentCaller | OwnerCaller>(needs, async (db, caller, id) => {
    if (caller.kind === 'agent') {
      mailboxOf(caller);
      return findGrantedSecret(db, caller.workspaceId, caller.agentId, id);
    }
    const secret = await findVersionedSecret(db, id);
    return secret?.workspaceId === caller.workspaceId ? secret : null;
  });

  return {
    list: async (caller) => {
      if (caller.kind !== 'agent') return { secrets: await viewAll(store.read, caller.workspaceId ?? null) };
      mailboxOf(caller);
      return { secrets: (await listGrantedSecrets(store.read, caller.workspaceId, caller.agentId)).map(viewSecret) };
    },

    get: async (caller, { id }, call) => {
      const isWhole = caller.kind === 'owner' || (await isGrantedWithSeed(store.read, caller.agentId, id));
      return opening(caller, id, call, (secret, { [TOTP_FIELD]: seed, ...value }) => ({
        ...viewSecret(secret),
        secret: { ...value, ...(isWhole && seed !== undefined && { [TOTP_FIELD]: seed }) },
      }));
    },

    totp: (caller, { id }, call) => opening(caller, id, call, (_secret, value) => toCode(value, clock.now())),

    ...handlers,
  };
};
