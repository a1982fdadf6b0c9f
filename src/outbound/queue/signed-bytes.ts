/** The signed bytes of an outbound message. */

import { domainOf } from '../../kernel/address.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { SigningKey } from '../../mail/auth/dkim-sign.ts';
import type { OutgoingMessage } from '../../store/mail/message-summaries.ts';
import { findRawMessage } from '../../store/mail/raw-messages.ts';
import type { Db } from '../../store/store.ts';
import type { Signed } from '../../workers/tasks.ts';
import type { WorkerPool } from '../../workers/worker-pool.ts';
import { isAsApproved } from '../gate/approved-digest.ts';

export interface SigningNeeds {
  read: Db;
  workers: WorkerPool;
  clock: Clock;
  /** The keys that sign for a domain; throws where they cannot be opened (the vault's key is missing). */
  signingKeys: (domain: string) => Promise<SigningKey[]>;
}

/** `altered`: it is not what a person approved. */
export type Signing = { kind: 'signed'; bytes: Signed } | { kind: 'unavailable'; reason: string } | { kind: 'altered' };

/**
 * Signs at every attempt, so that a key that was withdrawn signs no more.
 * @param isRelayed whether a provider's relay takes it
 */
export const signMessage = async (
  { read, workers, clock, signingKeys }: SigningNeeds,
  message: OutgoingMessage,
  isRelayed: boolean,
): Promise<Signing> => {
  const [stored, keys] = await Promise.all([
    findRawMessage(read, message.rawId),
    signingKeys(domainOf(message.from.address)).catch(() => null),
  ]);
  if (!stored) return { kind: 'unavailable', reason: 'The bytes of this message are not stored' };
  const { mime } = stored;
  if (!(await isAsApproved(read, message, mime))) return { kind: 'altered' };
  const bytes =
    keys && (await workers.run({ kind: 'sign', mime, keys, now: clock.now(), isRelayed }).catch(() => null));
  return bytes
    ? { kind: 'signed', bytes }
    : {
        kind: 'unavailable',
        reason: 'The message could not be signed; the log tells whether the vault key is missing',
      };
};
