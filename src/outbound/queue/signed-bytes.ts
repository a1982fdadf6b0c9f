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

/** Signs at every attempt, so that a key that was withdrawn signs no more. */
export const signMessage = async (
  { read, workers, clock, signingKeys }: SigningNeeds,
  message: OutgoingMessage,
): Promise<Signing> => {
  const stored = await findRawMessage(read, message.rawId);
  if (!stored) return { kind: 'unavailable', reason: 'The bytes of this message are not stored' };
  if (!(await isAsApproved(read, message, stored.mime))) return { kind: 'altered' };
  try {
    const keys = await signingKeys(domainOf(message.from.address));
    const bytes = await workers.run({ kind: 'sign', mime: stored.mime, keys, now: clock.now() });
    return { kind: 'signed', bytes };
  } catch {
    return {
      kind: 'unavailable',
      reason: 'The message could not be signed; the log tells whether the vault key is missing',
    };
  }
};
