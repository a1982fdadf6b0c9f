/** Formats records as a zone file (RFC 1035 section 5). */

import type { DnsRecord } from './records.ts';

const MAX_STRING_OCTETS = 255;

/** A TXT value as quoted strings of at most 255 octets; octets beyond printable ASCII as `\DDD`. */
const quotedStrings = (value: string): string => {
  const octets = Buffer.from(value);
  const count = Math.max(1, Math.ceil(octets.length / MAX_STRING_OCTETS));
  const parts = Array.from({ length: count }, (_, at) =>
    octets.subarray(at * MAX_STRING_OCTETS, (at + 1) * MAX_STRING_OCTETS),
  );
  return parts.map((part) => `"${Array.from(part, quotedOctet).join('')}"`).join(' ');
};

const quotedOctet = (octet: number): string => {
  const character = String.fromCharCode(octet);
  if (character === '"' || character === '\\') return `\\${character}`;
  return octet >= 0x20 && octet < 0x7f ? character : `\\${String(octet).padStart(3, '0')}`;
};

const recordLine = ({ name, ttl, type, value, priority }: DnsRecord): string => {
  const data = type === 'TXT' ? quotedStrings(value) : `${priority === null ? '' : `${priority} `}${value}.`;
  return `${name}. ${ttl} IN ${type} ${data}`;
};

export interface ZoneOptions {
  /** The zone's name. */
  domain: string;
  /** The host in the SOA and NS records. */
  hostname: string;
  /** Whether SOA and NS stand as records, for a zone of its own; otherwise as comments. */
  isWholeZone: boolean;
}

/**
 * Names are absolute, so that the lines fit into a zone of any origin. SOA and NS, which an existing zone has already,
 * are comments unless a whole zone is wanted.
 */
export const formatZone = (records: readonly DnsRecord[], { domain, hostname, isWholeZone }: ZoneOptions): string => {
  const start = [
    `${domain}. 3600 IN SOA ${hostname}. hostmaster.${domain}. 1 7200 3600 1209600 3600`,
    `${domain}. 3600 IN NS ${hostname}.`,
  ];
  const lines = records.map((each) => (each.required ? recordLine(each) : `${recordLine(each)} ; optional`));
  if (isWholeZone) return [...start, ...lines, ''].join('\n');
  return [...lines, '; A zone of its own begins with:', ...start.map((line) => `; ${line}`), ''].join('\n');
};
