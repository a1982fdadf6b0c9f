/** Finds the correspondence of contacts by their addresses. */

import type { Address } from '../../../kernel/address.ts';
import { isoTimeOrNull } from '../../../kernel/clock.ts';
import type { Handlers } from '../../../kernel/handlers.ts';
import { listHeardOf, listWrittenTo } from '../../../store/mail/correspondence.ts';
import type { Store } from '../../../store/store.ts';
import { requireContact } from '../contact-book.ts';
import { listEmails } from '../exchange/import-contacts.ts';
import { type correspondenceContract, MOST_EXCHANGES } from './contract.ts';

export const createCorrespondence = ({ store }: { store: Store }): Handlers<typeof correspondenceContract> => ({
  list: async ({ workspaceId }, { id }) => {
    const contact = await requireContact(store.read, workspaceId, id);
    const addresses = listEmails(contact) as Address[];
    if (addresses.length === 0) return { exchanges: [] };
    const written = await listWrittenTo(store.read, workspaceId, addresses, MOST_EXCHANGES);
    const heard = await listHeardOf(store.read, workspaceId, addresses, MOST_EXCHANGES);
    const keyOf = ({ handle, address }: { handle: string; address: string }): string => `${handle} ${address}`;
    const heardOf = new Set(heard.map(keyOf));
    const writtenTo = new Set(written.map(keyOf));
    const exchanges = [
      ...written.map((each) => ({ ...each, hasWritten: heardOf.has(keyOf(each)) })),
      ...heard
        .filter((each) => !writtenTo.has(keyOf(each)))
        .map((each) => ({ ...each, firstWrittenAt: null, hasWritten: true })),
    ];
    return {
      exchanges: exchanges
        .toSorted((a, b) => a.handle.localeCompare(b.handle) || a.address.localeCompare(b.address))
        .map(({ handle, address, firstWrittenAt, hasWritten }) => ({
          agent: handle,
          address,
          has_written: hasWritten,
          wrote_at: isoTimeOrNull(firstWrittenAt),
        })),
    };
  },
});
