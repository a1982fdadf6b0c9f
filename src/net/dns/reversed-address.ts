/** Formats an address for DNS names: reversed by octet, or by nibble (RFC 1035 section 3.5, RFC 3596). */

import ipaddr from 'ipaddr.js';

export const reversedAddress = (ip: string): { name: string; family: 'ipv4' | 'ipv6' } => {
  const address = ipaddr.process(ip.replace(/%.*$/, ''));
  const bytes = address.toByteArray();
  if (address.kind() === 'ipv4') return { name: bytes.reverse().join('.'), family: 'ipv4' };
  const nibbles = bytes.flatMap((byte) => [byte >> 4, byte & 15]).map((nibble) => nibble.toString(16));
  return { name: nibbles.reverse().join('.'), family: 'ipv6' };
};

/** Formats the name of the PTR query (RFC 1035 section 3.5, RFC 3596 section 2.5). */
export const arpaName = (ip: string): string => {
  const { name, family } = reversedAddress(ip);
  return `${name}.${family === 'ipv4' ? 'in-addr' : 'ip6'}.arpa`;
};
