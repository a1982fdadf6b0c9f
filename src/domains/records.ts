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

/** @param hostname the instance's name, which the MX and SPF records point to */
export const recordsOf = ({ name }: Pick<Domain, 'name'>, keys: readonly DkimKey[], hostname: string): DnsRecord[] => [
  { purpose: 'mx', type: 'MX', name, value: hostname, priority: MX_PREFERENCE, ttl: TTL_SECONDS, required: true },
  // Only the instance sends for the domain (RFC 7208 section 5.2 would cost a look-up more; `a:` names the host itself).
  txt('spf', name, `v=spf1 a:${hostname} -all`),
  ...keys.map((key) => txt('dkim', `${key.selector}._domainkey.${name}`, dkimRecord(key))),
  txt('dmarc', `_dmarc.${name}`, 'v=DMARC1; p=reject; adkim=s; aspf=r'),
];

/** A zone file's lines (RFC 1035 section 5). A TXT value of more than 255 bytes stands as several strings. */
export const zoneLines = (records: readonly DnsRecord[]): string[] =>
  records.map(({ name, ttl, type, value, priority }) => {
    const data = type === 'TXT' ? quotedStrings(value) : `${priority === null ? '' : `${priority} `}${value}.`;
    return `${name}. ${ttl} IN ${type} ${data}`;
  });

const quotedStrings = (value: string): string =>
  (value.match(/.{1,255}/g) ?? ['']).map((part) => `"${part.replace(/["\\]/g, '\\$&')}"`).join(' ');
