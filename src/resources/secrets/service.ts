/** Opening secrets. What is not granted is answered as what does not exist, after the same queries. */

import { type AgentCaller, mailboxOf } from '../../kernel/caller.ts';
import type { Handlers } from '../../kernel/operation.ts';
import { isGrantedWithSeed } from '../../store/vault/secret-grants.ts';
import { findGrantedSecret, listGrantedSecrets } from '../../store/vault/secrets.ts';
import { TOTP_FIELD } from '../../vault/secret-value.ts';
import type { secretsContract } from './contract.ts';
import { createOpening, type OpeningNeeds, toCode } from './open-secret.ts';
import { viewSecret } from './view.ts';

export const createSecrets = (needs: OpeningNeeds): Handlers<typeof secretsContract> => {
  const { store, clock } = needs;
  /** As it is granted at that moment. */
  const opening = createOpening<AgentCaller>(needs, (db, caller, id) => {
    mailboxOf(caller);
    return findGrantedSecret(db, caller.workspaceId, caller.agentId, id);
  });

  return {
    list: async (caller) => {
      mailboxOf(caller);
      return { secrets: (await listGrantedSecrets(store.read, caller.workspaceId, caller.agentId)).map(viewSecret) };
    },

    get: async (caller, { id }, call) => {
      const isWhole = await isGrantedWithSeed(store.read, caller.agentId, id);
      return opening(caller, id, call, (secret, { [TOTP_FIELD]: seed, ...value }) => ({
        ...viewSecret(secret),
        secret: { ...value, ...(isWhole && seed !== undefined && { [TOTP_FIELD]: seed }) },
      }));
    },

    totp: (caller, { id }, call) => opening(caller, id, call, (_secret, value) => toCode(value, clock.now())),
  };
};
