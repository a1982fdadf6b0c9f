/** Who a doubtful mail would have answered. */

import { addressKey, type NamedAddress } from '../kernel/address.ts';
import type { MailboxId } from '../kernel/ids.ts';
import { insertDoubtedSender } from '../store/mail/correspondents.ts';
import type { Tx } from '../store/store.ts';

/** Reply-To addresses recorded as doubtful senders, one row each. */
const MAX_REPLY_TO = 20;

/** Replies to a doubtful mail would go to its author and Reply-To: both are recorded. */
export const insertDoubtfulSenders = async (
  tx: Tx,
  mailboxId: MailboxId,
  { replyTo }: { replyTo: readonly NamedAddress[] },
  from: NamedAddress,
): Promise<void> => {
  const addresses = [from, ...replyTo.slice(0, MAX_REPLY_TO)].map(({ address }) => addressKey(address));
  for (const address of new Set(addresses)) await insertDoubtedSender(tx, mailboxId, address);
};
