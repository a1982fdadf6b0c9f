/**
 * Binds a person's approval to the sent bytes. The digest of a held mail's envelope and bytes is shown to the
 * reviewer, comes back with the decision, is stored, and is computed again before each attempt.
 */

import type { StoredMessage } from '../../store/mail/messages.ts';
import { listDeliveriesOf } from '../../store/sending/deliveries.ts';
import type { Db } from '../../store/store.ts';

interface ApprovedEnvelope {
  from: string;
  /** In any order. */
  recipients: readonly string[];
}

/** SHA-256, off the main thread: a mail has up to 25 MB. @param mime as it is stored, compressed */
export const computeApprovedDigest = async (
  { from, recipients }: ApprovedEnvelope,
  mime: Uint8Array,
): Promise<Uint8Array> => {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(mime)));
  const envelope = JSON.stringify([from, [...recipients].sort(), Buffer.from(bytes).toString('hex')]);
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(envelope)));
};

/** Whether a message is what a person approved; true where no approval was needed. @param mime as it is stored */
export const isAsApproved = async (
  read: Db,
  { approvedDigest, from, id }: Pick<StoredMessage, 'approvedDigest' | 'from' | 'id'>,
  mime: Uint8Array,
): Promise<boolean> => {
  if (approvedDigest === null) return true;
  const recipients = (await listDeliveriesOf(read, id)).map(({ address }) => address);
  const digest = await computeApprovedDigest({ from: from.address, recipients }, mime);
  return Buffer.compare(digest, approvedDigest) === 0;
};
