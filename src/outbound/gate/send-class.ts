/** Classifies a send as reply or cold, for quotas, tripwires and rates. */

import { addressKey, type NamedAddress } from '../../kernel/address.ts';
import type { StoredMessage } from '../../store/mail/messages.ts';
import { listAlignedAuthors } from '../../store/mail/thread-messages.ts';
import type { Db } from '../../store/store.ts';

export type SendClass = 'reply' | 'cold';

/**
 * A send that answers or forwards a received message is a reply. One that answers the mailbox's own message is a reply
 * only where every recipient has an authenticated message in the thread: otherwise any first mail could be declared an
 * exchange.
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
