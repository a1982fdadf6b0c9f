/** Opening secrets. What is not granted is answered as what does not exist, after the same queries. */

import { type AgentCaller, mailboxOf } from '../../kernel/caller.ts';
import { type Clock, isoTime } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { SecretId } from '../../kernel/ids.ts';
import type { Handlers, Recorded, RecordingCall } from '../../kernel/operation.ts';
import type { Db, Store } from '../../store/store.ts';
import { findGrantedSecret, listGrantedSecrets, type VersionedSecret } from '../../store/vault/secrets.ts';
import { type SecretValue, TOTP_FIELD } from '../../vault/secret-value.ts';
import { oneTimeCode } from '../../vault/totp.ts';
import type { Vault } from '../../vault/vault.ts';
import type { secretsContract } from './contract.ts';
import { viewSecret } from './view.ts';

export interface SecretsNeeds {
  store: Store;
  clock: Clock;
  vault: Pick<Vault, 'open'>;
}

export const createSecrets = ({ store, clock, vault }: SecretsNeeds): Handlers<typeof secretsContract> => {
  /** @throws ApiError no_identity, secret_not_found_or_not_granted */
  const granted = async (db: Db, caller: AgentCaller, id: SecretId): Promise<VersionedSecret> => {
    mailboxOf(caller);
    const secret = await findGrantedSecret(db, caller.workspaceId, caller.agentId, id);
    if (!secret) throw new ApiError('secret_not_found_or_not_granted');
    return secret;
  };

  /** Opens it as it is granted at that moment; the row in the activity log is on disk before the value is answered. */
  const opening = async <T>(
    caller: AgentCaller,
    id: SecretId,
    { record }: RecordingCall,
    work: (secret: VersionedSecret, value: SecretValue) => T,
  ): Promise<Recorded<T>> => {
    // A guess costs no write.
    await granted(store.read, caller, id);
    return store.write(async (tx) => {
      const secret = await granted(tx.db, caller, id);
      const answer = work(secret, await vault.open(tx.db, secret));
      const { workspaceId, name: subject, version } = secret;
      return record(tx, { workspaceId, subject, detail: { secret_id: id, version } }, answer);
    });
  };

  return {
    list: async (caller) => {
      mailboxOf(caller);
      return { secrets: (await listGrantedSecrets(store.read, caller.workspaceId, caller.agentId)).map(viewSecret) };
    },

    get: (caller, { id }, call) =>
      opening(caller, id, call, (secret, value) => ({ ...viewSecret(secret), secret: { ...value } })),

    totp: (caller, { id }, call) =>
      opening(caller, id, call, (_secret, value) => {
        const made = oneTimeCode(value[TOTP_FIELD] ?? '', clock.now());
        if (!made) throw new ApiError('no_totp_on_secret');
        const { code, digits, period, expiresAt } = made;
        return { code, digits, period, expires_at: isoTime(expiresAt) };
      }),
  };
};
