/** Determines the organisational domain of a name by the public suffix list (RFC 9989 section 3.2.2 and 4.10). */

import { getDomain } from 'tldts';

/**
 * Returns the registered domain above `domain`, in lower case; the name itself without one. Private suffixes, such as
 * those of dynamic DNS providers, count as one organisation, the operator's.
 */
export const organizationalDomain = (domain: string): string =>
  getDomain(domain) ?? domain.toLowerCase().replace(/\.$/, '');
