/** The bytes of a mail that go out. */

import { domainOf } from '../../kernel/address.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { SigningKey } from '../../mail/auth/dkim-sign.ts';
import type { StoredMessage } from '../../store/mail/messages.ts';
import { findRawMessage } from '../../store/mail/raw-messages.ts';
import type { Db } from '../../store/store.ts';
import type { Signed } from '../../workers/tasks.ts';
import type { WorkerPool } from '../../workers/worker-pool.ts';

export interface SigningNeeds {
  read: Db;
  workers: WorkerPool;
  clock: Clock;
  /** The keys that sign for a domain; throws where they cannot be opened (the vault's key is missing). */
  signingKeys: (domain: string) => Promise<SigningKey[]>;
}

/**
 * Signed at every attempt, so that a key taken out of use signs no more.
 * @returns the bytes, or why there are none for now
 */
export const signMessage = async (
  { read, workers, clock, signingKeys }: SigningNeeds,
  message: StoredMessage,
): Promise<Signed | Error> => {
  const stored = await findRawMessage(read, message.rawId);
  if (!stored) return new Error('The bytes of this message are not stored');
  try {
    const keys = await signingKeys(domainOf(message.from.address));
    return await workers.run({ kind: 'sign', mime: stored.mime, keys, now: clock.now() });
  } catch (cause) {
    return new Error('The message could not be signed; see `postroom doctor`', { cause });
  }
};
