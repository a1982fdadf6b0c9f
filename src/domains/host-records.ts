/** The host's own records, which other mail hosts check before those of a domain. */

import { isIPv6 } from 'node:net';
import { arpaName } from '../net/dns/reversed-address.ts';

export interface HostRecord {
  type: 'A' | 'AAAA' | 'PTR' | 'TXT';
  name: string;
  value: string;
  /** The party that sets it. */
  set_by: 'zone' | 'provider';
}

/** @param addresses public ones of the host */
export const toHostRecords = (hostname: string, addresses: readonly string[]): HostRecord[] => [
  ...addresses.map(
    (value): HostRecord => ({ type: isIPv6(value) ? 'AAAA' : 'A', name: hostname, value, set_by: 'zone' }),
  ),
  // RFC 7208 section 2.3: a bounce has no other sender than the HELO name.
  { type: 'TXT', name: hostname, value: 'v=spf1 a -all', set_by: 'zone' },
  ...addresses.map(
    (address): HostRecord => ({ type: 'PTR', name: arpaName(address), value: hostname, set_by: 'provider' }),
  ),
];

/** Lines of a zone file (RFC 1035 section 5.1); PTR records, which the provider sets, as comments. */
export const formatHostZone = (records: readonly HostRecord[]): string =>
  records
    .map(({ type, name, value, set_by }) => {
      const shown = type === 'TXT' ? `"${value}"` : type === 'PTR' ? `${value}.` : value;
      return `${set_by === 'provider' ? '; set by the hosting provider: ' : ''}${name}. 3600 IN ${type} ${shown}`;
    })
    .join('\n');
