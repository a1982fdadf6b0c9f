/** The host's own records: what other mail hosts look at before they look at a domain. */

import { isIPv6 } from 'node:net';
import { arpaName } from '../net/dns/reversed-address.ts';

export interface HostRecord {
  type: 'A' | 'AAAA' | 'PTR' | 'TXT';
  name: string;
  value: string;
  /** Who sets it. */
  set_by: 'zone' | 'provider';
}

/** @param addresses public ones of the host */
export const toHostRecords = (hostname: string, addresses: readonly string[]): HostRecord[] => [
  ...addresses.map(
    (value): HostRecord => ({ type: isIPv6(value) ? 'AAAA' : 'A', name: hostname, value, set_by: 'zone' }),
  ),
  // RFC 7208 section 2.3: of bounces, which have no other sender than the greeting's name.
  { type: 'TXT', name: hostname, value: 'v=spf1 a -all', set_by: 'zone' },
  ...addresses.map(
    (address): HostRecord => ({ type: 'PTR', name: arpaName(address), value: hostname, set_by: 'provider' }),
  ),
];

/** Lines of a zone file (RFC 1035 section 5.1); PTR records, which stand in the provider's zone, as comments. */
export const formatHostZone = (records: readonly HostRecord[]): string =>
  records
    .map(({ type, name, value, set_by }) => {
      const shown = type === 'TXT' ? `"${value}"` : type === 'PTR' ? `${value}.` : value;
      return `${set_by === 'provider' ? '; set by the hosting provider: ' : ''}${name}. 3600 IN ${type} ${shown}`;
    })
    .join('\n');
