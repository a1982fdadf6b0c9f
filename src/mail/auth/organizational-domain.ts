/** The organisational domain of a name, by the public suffix list: RFC 9989 section 3.2.2 and 4.10. */

import { getDomain } from 'tldts';

/**
 * The registered domain that `domain` lies under, in lower case; the name itself where there is none. Suffixes that
 * private operators hand names out under (such as dynamic DNS) are one organisation, theirs.
 */
export const organizationalDomain = (domain: string): string =>
  getDomain(domain) ?? domain.toLowerCase().replace(/\.$/, '');
