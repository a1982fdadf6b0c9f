/** The contact behind an address. */

import { type Address, addressKey, domainOf } from '../../kernel/address.ts';
import type { ContactId, WorkspaceId } from '../../kernel/ids.ts';
import type { Db } from '../store.ts';
import { findSeqsByKey, KEY_KIND } from './contact-keys.ts';
import { contactName } from './contact-name.ts';
import { findContactsBySeq } from './contacts.ts';

/**
 * The newest contact that has the address; else the newest that its domain belongs to, else one above that.
 * @param topDomain the last domain that is looked for, as the organisation's
 */
export const findContactOfAddress = async (
  db: Db,
  workspaceId: WorkspaceId,
  address: Address,
  topDomain: string,
): Promise<{ id: ContactId; name: string } | null> => {
  const domain = domainOf(address);
  const keys = [
    [KEY_KIND.email, addressKey(address)],
    [KEY_KIND.domain, domain],
    [KEY_KIND.domain, topDomain],
  ] as const;
  for (const [kind, key] of keys) {
    const [contact] = await findContactsBySeq(db, await findSeqsByKey(db, workspaceId, kind, key, 1));
    if (contact) return { id: contact.id, name: contactName(contact) };
  }
  return null;
};
