/** Stored contacts in the interface's shape. */

import { isoTime } from '../../kernel/clock.ts';
import { displayName } from '../../store/contacts/contact-name.ts';
import type { Contact, StoredMemory, StoredPostalAddress } from '../../store/contacts/contacts-mappings.ts';
import type { ContactView } from './contract.ts';
import type { MemoryView } from './facts/contract.ts';

export const viewMemory = ({
  id,
  fact,
  messageId,
  messageFrom = null,
  authenticated = null,
  saidBy,
  createdAt,
}: StoredMemory): MemoryView => ({
  id,
  fact,
  said_by: saidBy?.makerKind
    ? { kind: saidBy.makerKind, name: saidBy.makerKind === 'person' ? null : saidBy.makerName }
    : null,
  message_id: messageId,
  message_from: messageFrom,
  authenticated,
  created_at: isoTime(createdAt),
});

const viewAddress = ({ poBox, postalCode, ...address }: StoredPostalAddress): ContactView['addresses'][number] => ({
  po_box: poBox,
  postal_code: postalCode,
  ...address,
});

export const viewContact = (contact: Contact): ContactView => ({
  id: contact.id,
  name: displayName(contact),
  given_name: contact.givenName,
  family_name: contact.familyName,
  preferred_name: contact.preferredName,
  company_name: contact.companyName,
  job_title: contact.jobTitle,
  notes: contact.notes,
  domains: contact.domains,
  channels: contact.channels.map(({ kind, value, label }) => ({ kind, value, label })),
  addresses: contact.addresses.map(viewAddress),
  memories: contact.memories.map(viewMemory),
  updated_at: isoTime(contact.updatedAt),
});
