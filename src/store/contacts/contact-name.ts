import type { Contact } from './contacts-mappings.ts';

/** The name that a contact goes by: given and family name, else the preferred one, else the company's. */
export const contactName = ({
  givenName,
  familyName,
  preferredName,
  companyName,
}: Pick<Contact, 'givenName' | 'familyName' | 'preferredName' | 'companyName'>): string => {
  const whole = [givenName, familyName].filter(Boolean).join(' ');
  return whole || preferredName || companyName || '';
};

/** The name that is shown: of a contact without one, as a list of addresses makes them, its first channel. */
export const displayName = (contact: Parameters<typeof contactName>[0] & Pick<Contact, 'channels'>): string =>
  contactName(contact) || (contact.channels[0]?.value ?? '');
