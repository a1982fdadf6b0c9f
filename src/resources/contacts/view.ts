/** Stored contacts in the interface's shape. */

import { isoTime } from '../../kernel/clock.ts';
import { displayName } from '../../store/contacts/contact-name.ts';
import type { Contact, StoredMemory, StoredPostalAddress } from '../../store/contacts/contacts-mappings.ts';
import type { ContactView, MemoryView } from './contract.ts';

export const viewMemory = ({ id, fact, messageId, createdAt }: StoredMemory): MemoryView => ({
  id,
  fact,
  message_id: messageId,
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
