/** Converts cards to contacts and back. */

import type { Card } from '../../../contacts/card.ts';
import { type ContactId, parseId } from '../../../kernel/ids.ts';
import { displayName } from '../../../store/contacts/contact-name.ts';
import type { Contact } from '../../../store/contacts/contacts-mappings.ts';
import type { Content } from '../contact-changes.ts';
import {
  MAX_ADDRESSES,
  MAX_CHANNEL,
  MAX_CHANNELS,
  MAX_DOMAINS,
  MAX_LABEL,
  MAX_NAME,
  MAX_NOTES,
} from '../limits-contract.ts';
import { storedChannels } from '../stored-channels.ts';

export type CardContent =
  | { kind: 'content'; content: Content }
  /** `field`: its name in the interface. */
  | { kind: 'refused'; reason: 'too_long' | 'too_many'; field: string };

/** Names and the like are one line. */
const oneLine = (text: string | null): string | null => {
  const lines = text?.split(/[\n\t]+/).map((line) => line.trim()) ?? [];
  return lines.filter((line) => line !== '').join(' ') || null;
};

const toAddresses = ({ addresses }: Card): Content['addresses'] =>
  addresses.map((address) => ({ ...address, label: oneLine(address.label) }));

const readContent = (card: Card): Content => ({
  givenName: oneLine(card.givenName),
  familyName: oneLine(card.familyName),
  preferredName: oneLine(card.preferredName),
  companyName: oneLine(card.companyName),
  jobTitle: oneLine(card.jobTitle),
  notes: card.notes,
  channels: storedChannels(
    card.channels.map(({ kind, value, label }) => ({ kind, value: oneLine(value) ?? '', label: oneLine(label) })),
  ),
  domains: [...new Set(card.domains)],
  addresses: toAddresses(card),
});

/** The first field beyond its bounds; null: none. */
const findExcess = (content: Content): Extract<CardContent, { kind: 'refused' }> | null => {
  const isLong = (text: string | null, most: number): boolean => text !== null && text.length > most;
  const { channels, addresses } = content;
  const long = [
    { field: 'given_name', is: isLong(content.givenName, MAX_NAME) },
    { field: 'family_name', is: isLong(content.familyName, MAX_NAME) },
    { field: 'preferred_name', is: isLong(content.preferredName, MAX_NAME) },
    { field: 'company_name', is: isLong(content.companyName, MAX_NAME) },
    { field: 'job_title', is: isLong(content.jobTitle, MAX_NAME) },
    { field: 'notes', is: isLong(content.notes, MAX_NOTES) },
    {
      field: 'channels',
      is: channels.some(({ value, label }) => isLong(value, MAX_CHANNEL) || isLong(label, MAX_LABEL)),
    },
    {
      field: 'addresses',
      is: addresses.some(({ label, ...parts }) => {
        return isLong(label, MAX_LABEL) || Object.values(parts).some((part) => isLong(part, MAX_NAME));
      }),
    },
  ].find(({ is }) => is);
  if (long) return { kind: 'refused', reason: 'too_long', field: long.field };
  if (channels.length > MAX_CHANNELS) return { kind: 'refused', reason: 'too_many', field: 'channels' };
  if (addresses.length > MAX_ADDRESSES) return { kind: 'refused', reason: 'too_many', field: 'addresses' };
  return content.domains.length > MAX_DOMAINS ? { kind: 'refused', reason: 'too_many', field: 'domains' } : null;
};

/** Channels of a card, before those are left out that it has twice; each key takes some 20 µs. */
const MAX_GIVEN = 4 * MAX_CHANNELS;

/** The contact of a card, within the bounds for contacts of agents. */
export const toContent = (card: Card): CardContent => {
  if (card.channels.length > MAX_GIVEN) return { kind: 'refused', reason: 'too_many', field: 'channels' };
  const content = readContent(card);
  return findExcess(content) ?? { kind: 'content', content };
};

const EXPORTED_UID = 'urn:uuid:';

/** The id of the exported contact; null for cards of other programs. */
export const readExportedId = ({ uid }: Card): ContactId | null =>
  uid?.toLowerCase().startsWith(EXPORTED_UID) ? parseId<'contact'>(uid.slice(EXPORTED_UID.length)) : null;

export const toCard = (contact: Contact): Card => ({
  ...contact,
  uid: EXPORTED_UID + contact.id,
  fullName: displayName(contact) || null,
});
