/**
 * The neutral form of a contact between vCard, CSV and the store. No string of a card is empty; its lines end in LF,
 * and its only other control character is TAB, because RFC 6350 forbids others.
 */

export interface CardChannel {
  kind: 'email' | 'phone';
  value: string;
  label: string | null;
}

/** The components of ADR (RFC 6350 section 6.3.1). */
export interface PostalAddress {
  poBox: string | null;
  extended: string | null;
  street: string | null;
  locality: string | null;
  region: string | null;
  postalCode: string | null;
  country: string | null;
  label: string | null;
}

export interface Card {
  uid: string | null;
  /** As displayed; null where the names, the company or a channel replace it. */
  fullName: string | null;
  givenName: string | null;
  familyName: string | null;
  preferredName: string | null;
  companyName: string | null;
  jobTitle: string | null;
  notes: string | null;
  /** Domains with mail of this contact. */
  domains: string[];
  channels: CardChannel[];
  addresses: PostalAddress[];
}

/** What a card is without its names in other programs. */
export const emptyContent = (): Omit<Card, 'uid' | 'fullName'> => ({
  givenName: null,
  familyName: null,
  preferredName: null,
  companyName: null,
  jobTitle: null,
  notes: null,
  domains: [],
  channels: [],
  addresses: [],
});

export const emptyCard = (): Card => ({ uid: null, fullName: null, ...emptyContent() });

/** Control characters other than LF and TAB; DEL and C1 among them. */
const CONTROLS = /[^\P{Cc}\n\t]/gu;

/** Converts text to a card's form; null where nothing is left. Unpaired surrogates become U+FFFD. */
export const cardText = (text: string): string | null => {
  const clean = text.replace(/\r\n?/g, '\n').replace(CONTROLS, '').toWellFormed();
  return clean === '' ? null : clean;
};

/** The same without blanks around it. */
export const trimmedText = (text: string): string | null => cardText(text.trim());
