/** Opens secrets for the owners of their workspace, whichever agents they are granted to. */

import type { OwnerCaller } from '../../../kernel/caller.ts';
import type { Handlers } from '../../../kernel/operation.ts';
import { findVersionedSecret } from '../../../store/vault/secrets.ts';
import { createOpening, type OpeningNeeds, toCode } from '../open-secret.ts';
import { viewSecret } from '../view.ts';
import type { secretValuesContract } from './contract.ts';

export const createSecretValues = (needs: OpeningNeeds): Handlers<typeof secretValuesContract> => {
  const opening = createOpening<OwnerCaller>(needs, async (db, { workspaceId }, id) => {
    const secret = await findVersionedSecret(db, id);
    return secret?.workspaceId === workspaceId ? secret : null;
  });
  return {
    open: (owner, { id }, call) =>
      opening(owner, id, call, (secret, value) => ({ ...viewSecret(secret), secret: { ...value } })),

    totp: (owner, { id }, call) => opening(owner, id, call, (_secret, value) => toCode(value, needs.clock.now())),
  };
};
