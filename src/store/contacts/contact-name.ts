import type { Contact } from './contacts-mappings.ts';

/** The name of a contact: given and family name, else the preferred one, else the company's. */
export const contactName = ({
  givenName,
  familyName,
  preferredName,
  companyName,
}: Pick<Contact, 'givenName' | 'familyName' | 'preferredName' | 'companyName'>): string => {
  const whole = [givenName, familyName].filter(Boolean).join(' ');
  return whole || preferredName || companyName || '';
};

/** The displayed name; for a nameless contact, such as one from a list of addresses, its first channel. */
export const displayName = (contact: Parameters<typeof contactName>[0] & Pick<Contact, 'channels'>): string =>
  contactName(contact) || (contact.channels[0]?.value ?? '');
