/** Opens a secret for an authorised caller: the row in the activity log is on disk before the value is returned. */

import { isoTime, type Millis } from '../../kernel/clock.ts';
import { requireFound } from '../../kernel/errors.ts';
import type { Recorded, RecordingCall } from '../../kernel/handlers.ts';
import type { SecretId, WorkspaceId } from '../../kernel/ids.ts';
import type { Db } from '../../store/store.ts';
import type { VersionedSecret } from '../../store/vault/secrets.ts';
import { type SecretValue, TOTP_FIELD } from '../../vault/secret-value.ts';
import { oneTimeCode } from '../../vault/totp.ts';
import type { Needs } from '../needs.ts';

export type OpeningNeeds = Needs<'store' | 'clock' | 'vault'>;

/** @param find the secret, where the caller may open it; null: answered as not found */
export const createOpening =
  <C extends { workspaceId: WorkspaceId }>(
    { store, vault }: OpeningNeeds,
    find: (db: Db, caller: C, id: SecretId) => Promise<VersionedSecret | null>,
  ) =>
  async <T>(
    caller: C,
    id: SecretId,
    { record }: RecordingCall,
    work: (secret: VersionedSecret, value: SecretValue) => T,
  ): Promise<Recorded<T>> => {
    const require = async (db: Db): Promise<VersionedSecret> =>
      requireFound(await find(db, caller, id), 'secret_not_found_or_not_granted');
    // A wrong guess costs no write.
    await require(store.read);
    return store.write(async (tx) => {
      const secret = await require(tx.db);
      const answer = work(secret, await vault.open(tx.db, secret));
      const { workspaceId, name: subject, version } = secret;
      return record(tx, { workspaceId, subject, detail: { secret_id: id, version } }, answer);
    });
  };

/** @throws ApiError no_totp_on_secret */
export const toCode = (value: SecretValue, now: Millis) => {
  const made = requireFound(oneTimeCode(value[TOTP_FIELD] ?? '', now), 'no_totp_on_secret');
  const { code, digits, period, expiresAt } = made;
  return { code, digits, period, expires_at: isoTime(expiresAt) };
};
