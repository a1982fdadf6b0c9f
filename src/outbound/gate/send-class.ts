/** Classifies a send as reply or cold, for quotas, tripwires and rates. */

import { type Address, addressKey, type NamedAddress } from '../../kernel/address.ts';
import type { WorkspaceId } from '../../kernel/ids.ts';
import { findRecipient } from '../../store/accounts/recipient-lookup.ts';
import { hasHeardFrom } from '../../store/mail/correspondents.ts';
import { isAligned } from '../../store/mail/mail-mappings.ts';
import type { StoredMessage } from '../../store/mail/messages.ts';
import { listAlignedAuthors } from '../../store/mail/thread-messages.ts';
import type { Db } from '../../store/store.ts';

export type SendClass = 'reply' | 'cold';

const keysOf = (addresses: readonly NamedAddress[]): Address[] => addresses.map(({ address }) => addressKey(address));

/** From and Reply-To, where a check of the mail was aligned, or one of an earlier mail of that author. */
const listAuthors = async (db: Db, { mailboxId, from, replyTo, ...message }: StoredMessage): Promise<Address[]> => {
  const isKnown = isAligned(message) || (await hasHeardFrom(db, mailboxId, addressKey(from.address)));
  return isKnown ? keysOf([from, ...replyTo]) : [];
};

/**
 * A send that names a message is a reply where all its recipients took part: they wrote it, stand in its To or Cc, or
 * belong to the workspace. Otherwise any message could be named to send strangers mail as replies. A message of the
 * mailbox itself counts only where the thread has aligned mail of every recipient.
 */
export const findSendClass = async (
  db: Db,
  workspaceId: WorkspaceId,
  parent: StoredMessage | null,
  recipients: readonly NamedAddress[],
): Promise<SendClass> => {
  if (parent === null) return 'cold';
  const isReceived = parent.direction === 'in';
  const there = isReceived
    ? [...(await listAuthors(db, parent)), ...keysOf([...parent.to, ...parent.cc])]
    : (await listAlignedAuthors(db, parent.threadId)).map(addressKey);
  for (const address of keysOf(recipients)) {
    const wasThere = there.includes(address);
    const isColleague = !wasThere && isReceived && (await findRecipient(db, address))?.workspaceId === workspaceId;
    if (!wasThere && !isColleague) return 'cold';
  }
  return 'reply';
};
