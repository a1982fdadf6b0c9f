/** The names that a workspace may add as domains of its own. Pure. */

import { getPublicSuffix } from 'tldts';
import { type DomainName, isWithin, parseDomain } from '../kernel/address.ts';

/** Leaves room for the names of records below the domain, and for addresses on it (RFC 5321 section 4.5.3.1). */
const MAX_CHARS = 180;
/** A host name's label (RFC 1123 section 2.1): the underscore is for names of records. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
/** Names that are not in the public DNS (RFC 6761, 6762, 7686, 8375, 9476; .internal by ICANN). */
const NOT_PUBLIC = ['localhost', 'local', 'onion', 'invalid', 'arpa', 'alt', 'internal'];

export type AddableName = { kind: 'name'; name: DomainName } | { kind: 'refused'; hint: string };

const refused = (hint: string): AddableName => ({ kind: 'refused', hint });

/** @param own names of the instance, which may not be added, nor any name below them */
export const parseAddableName = (text: string, own: readonly string[]): AddableName => {
  const name = parseDomain(text.trim());
  if (!name?.split('.').every((label) => LABEL.test(label))) {
    return refused('Give a domain name of at least two labels, as example.com; no e-mail address, URL or IP address.');
  }
  if (name.length > MAX_CHARS) return refused(`A domain has at most ${MAX_CHARS} characters.`);
  if (own.some((each) => isWithin(name, each))) return refused('This name belongs to the service itself.');
  if (NOT_PUBLIC.some((each) => isWithin(name, each))) return refused('This name is not part of the public DNS.');
  if (getPublicSuffix(name, { allowPrivateDomains: true }) === name) {
    return refused(`${name} is a public suffix, under which others register their domains. Give the domain itself.`);
  }
  return { kind: 'name', name };
};
