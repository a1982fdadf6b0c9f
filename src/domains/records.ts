/** The DNS records that a domain's owner publishes. */

import { dkimRecord } from '../mail/auth/dkim-key.ts';
import type { DkimKey, Domain } from '../store/accounts/domains.ts';

export interface DnsRecord {
  purpose: 'mx' | 'dkim' | 'spf' | 'dmarc' | 'ownership' | 'mta_sts' | 'tls_rpt';
  type: 'MX' | 'TXT' | 'CNAME';
  name: string;
  value: string;
  /** MX preference; null for other types. */
  priority: number | null;
  /** Seconds. */
  ttl: number;
  required: boolean;
}

const TTL_SECONDS = 3600;
const MX_PREFERENCE = 10;

const txt = (purpose: DnsRecord['purpose'], name: string, value: string, required = true): DnsRecord => ({
  purpose,
  type: 'TXT',
  name,
  value,
  priority: null,
  ttl: TTL_SECONDS,
  required,
});

/** @param hostname the instance's name, to which the MX and SPF records point */
export const toDnsRecords = (
  { name }: Pick<Domain, 'name'>,
  keys: readonly DkimKey[],
  hostname: string,
): DnsRecord[] => [
  { purpose: 'mx', type: 'MX', name, value: hostname, priority: MX_PREFERENCE, ttl: TTL_SECONDS, required: true },
  // Only the instance sends for the domain. `a:` names the host directly; an include would cost another look-up
  // (RFC 7208 section 5.2).
  txt('spf', name, `v=spf1 a:${hostname} -all`),
  ...keys.map((key) => txt('dkim', `${key.selector}._domainkey.${name}`, dkimRecord(key))),
  txt('dmarc', `_dmarc.${name}`, 'v=DMARC1; p=reject; adkim=s; aspf=r'),
];

/** Formats lines of a zone file (RFC 1035 section 5). A TXT value of more than 255 bytes becomes several strings. */
export const zoneLines = (records: readonly DnsRecord[]): string[] =>
  records.map(({ name, ttl, type, value, priority }) => {
    const data = type === 'TXT' ? quotedStrings(value) : `${priority === null ? '' : `${priority} `}${value}.`;
    return `${name}. ${ttl} IN ${type} ${data}`;
  });

const quotedStrings = (value: string): string =>
  (value.match(/.{1,255}/g) ?? ['']).map((part) => `"${part.replace(/["\\]/g, '\\$&')}"`).join(' ');
