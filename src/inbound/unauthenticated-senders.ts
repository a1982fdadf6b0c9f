/** Records the senders that a reply to an unauthenticated mail would reach. */

import { addressKey, type NamedAddress } from '../kernel/address.ts';
import type { MailboxId } from '../kernel/ids.ts';
import { insertUnauthenticatedSender } from '../store/mail/correspondents.ts';
import type { Tx } from '../store/store.ts';

interface Checked {
  authentication: { from_domain: string | null; aligned: boolean };
  spamVerdict: 'PASS' | 'FAIL' | 'UNKNOWN';
}

/**
 * A message is authenticated if it passes DMARC, comes through a trusted ARC sealer, or is delivered within this
 * instance. Without a DMARC record, SPF or DKIM of the author's organisation is enough. Without a sole author, or with a
 * spam verdict of FAIL, it is not. A domain without records is forgeable, so missing results count as unauthenticated.
 */
export const isUnauthenticated = ({ authentication: { from_domain, aligned }, spamVerdict }: Checked): boolean =>
  spamVerdict === 'FAIL' || from_domain === null || !aligned;

/** Reply-To addresses recorded, one row each. */
const MAX_REPLY_TO = 20;

/** Records the author and the Reply-To addresses: replies would go to them. */
export const insertUnauthenticatedSenders = async (
  tx: Tx,
  mailboxId: MailboxId,
  { replyTo }: { replyTo: readonly NamedAddress[] },
  from: NamedAddress,
): Promise<void> => {
  const addresses = [from, ...replyTo.slice(0, MAX_REPLY_TO)].map(({ address }) => addressKey(address));
  for (const address of new Set(addresses)) await insertUnauthenticatedSender(tx, mailboxId, address);
};
