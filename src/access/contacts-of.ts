/** Finds the contacts of the correspondents of listed messages. */

import type { Address } from '../kernel/address.ts';
import type { AgentCaller } from '../kernel/caller.ts';
import type { ContactId } from '../kernel/ids.ts';
import { organizationalDomain } from '../mail/auth/organizational-domain.ts';
import { findContactIds } from '../store/contacts/correspondent-contact.ts';
import type { Db } from '../store/store.ts';

interface Sent {
  direction: 'in' | 'out';
  from: { address: Address };
  to: readonly { address: Address }[];
}

/** The author of a received message, or the first recipient of a sent one. */
export const otherSide = ({ direction, from, to }: Sent): Address | undefined =>
  (direction === 'in' ? from : to[0])?.address;

/** @returns a look-up of a message's `contact_id`; it finds none for a key without the scope contacts */
export const findContactsOf = async (
  db: Db,
  { workspaceId, scopes }: Pick<AgentCaller, 'workspaceId' | 'scopes'>,
  messages: readonly Sent[],
): Promise<(message: Sent) => { contact_id?: ContactId | null }> => {
  if (!scopes.has('contacts')) return () => ({});
  const addresses = messages.map(otherSide).filter((address) => address !== undefined);
  const found = await findContactIds(db, workspaceId, [...new Set(addresses)], organizationalDomain);
  return (message) => {
    const address = otherSide(message);
    return { contact_id: (address && found.get(address)) ?? null };
  };
};
