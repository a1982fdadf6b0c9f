/** Whether a send is a reply or cold: quotas, tripwires and rates go by it. */

import { addressKey, type NamedAddress } from '../../kernel/address.ts';
import type { StoredMessage } from '../../store/mail/messages.ts';
import { listAlignedAuthors } from '../../store/mail/thread-messages.ts';
import type { Db } from '../../store/store.ts';

export type SendClass = 'reply' | 'cold';

/**
 * A send that answers or forwards a received message is a reply. One that names a message of the mailbox's own is so only
 * where every recipient is known to have written into that thread: else a mailbox could make its own mail to strangers the
 * beginning of an exchange.
 */
export const findSendClass = async (
  db: Db,
  parent: StoredMessage | null,
  recipients: readonly NamedAddress[],
): Promise<SendClass> => {
  if (parent === null) return 'cold';
  if (parent.direction === 'in') return 'reply';
  const authors = new Set((await listAlignedAuthors(db, parent.threadId)).map(addressKey));
  return recipients.every(({ address }) => authors.has(addressKey(address))) ? 'reply' : 'cold';
};
