/** Records the senders that a reply to an unauthenticated mail would reach. */

import { addressKey, type NamedAddress } from '../kernel/address.ts';
import type { MailboxId } from '../kernel/ids.ts';
import { insertUnauthenticatedSender } from '../store/mail/correspondents.ts';
import type { Tx } from '../store/store.ts';

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
