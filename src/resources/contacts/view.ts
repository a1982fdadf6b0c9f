/** Stored contacts in the interface's shape. */

import { viewOf } from '../../access/view-of.ts';
import { displayName } from '../../store/contacts/contact-name.ts';
import type { Contact, StoredMemory } from '../../store/contacts/contacts-mappings.ts';
import { contactShape, postalAddressShape } from './contract.ts';
import { memoryShape } from './facts/contract.ts';

export const viewMemory = viewOf(memoryShape, ({ messageFrom = null, authenticated = null, saidBy }: StoredMemory) => ({
  said_by: saidBy?.makerKind
    ? { kind: saidBy.makerKind, name: saidBy.makerKind === 'person' ? null : saidBy.makerName }
    : null,
  message_from: messageFrom,
  authenticated,
}));

const viewAddress = viewOf(postalAddressShape);

export const viewContact = viewOf(contactShape, (contact: Contact) => ({
  name: displayName(contact),
  channels: contact.channels.map(({ kind, value, label }) => ({ kind, value, label })),
  addresses: contact.addresses.map(viewAddress),
  memories: contact.memories.map(viewMemory),
}));
