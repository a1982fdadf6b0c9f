/** The DNS records that a domain's owner publishes. */

import { dkimRecord } from '../mail/auth/dkim-key.ts';
import type { DkimKey, Domain } from '../store/accounts/domains.ts';
import { formatStsPolicy, formatStsRecord } from './mta-sts.ts';

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
  /** For a DKIM key: whether it signs now, after the next rotation, or did so before the last one. */
  role: 'signing' | 'next' | 'retiring' | null;
}

/** The host that receives mail for its domains and sends theirs. */
export interface MailHost {
  /** The target of MX and SPF records. */
  hostname: string;
  /** Whether SMTP has a certificate and so STARTTLS: `tls.mode` is not "off". */
  offersTls: boolean;
  /** Domains that SPF includes, because their servers relay the host's mail. */
  spfIncludes: readonly string[];
}

export type RecordedDomain = Pick<Domain, 'name' | 'kind' | 'ownershipToken'>;
export type PublishedKey = Pick<DkimKey, 'selector' | 'algorithm' | 'publicKey' | 'role' | 'retiredAt'>;

const TTL_SECONDS = 3600;
const MX_PREFERENCE = 10;
/** The operator gets reports on the base domain; the owner of a custom domain adds an address. */
const DMARC = 'v=DMARC1; p=reject; adkim=s; aspf=r';

const record = (
  purpose: DnsRecord['purpose'],
  type: DnsRecord['type'],
  name: string,
  value: string,
  { required = true, priority = null, role = null }: Partial<Pick<DnsRecord, 'required' | 'priority' | 'role'>> = {},
): DnsRecord => ({ purpose, type, name, value, priority, ttl: TTL_SECONDS, required, role });

/** The TXT record by which a domain's owner agrees that one workspace uses it. */
const ownershipValue = (token: string): string => `postroom-domain=${token}`;

/**
 * The SPF terms that permit this instance. `a:` names the host directly; an include would cost another look-up (RFC
 * 7208 section 5.2).
 */
export const spfTerms = ({ hostname, spfIncludes }: Pick<MailHost, 'hostname' | 'spfIncludes'>): string[] => [
  `a:${hostname}`,
  ...spfIncludes.map((domain) => `include:${domain}`),
];

export const dkimName = (selector: string, domain: string): string => `${selector}._domainkey.${domain}`;

/**
 * All records of a domain: shown to its owner, checked, and served by the instance's own DNS server.
 * @param keys a retired one stays published while its signatures must verify, and is no longer required
 * @param host without TLS it has no MTA-STS policy, which would block all delivery (RFC 8461 section 5)
 */
export const toDnsRecords = (
  { name, kind, ownershipToken }: RecordedDomain,
  keys: readonly PublishedKey[],
  host: MailHost,
): DnsRecord[] => {
  const { hostname, offersTls } = host;
  return [
    record('mx', 'MX', name, hostname, { priority: MX_PREFERENCE }),
    record('spf', 'TXT', name, `v=spf1 ${spfTerms(host).join(' ')} -all`),
    ...keys.map((key) =>
      record('dkim', 'TXT', dkimName(key.selector, name), dkimRecord(key), {
        required: key.retiredAt === null,
        role: key.retiredAt === null ? key.role : 'retiring',
      }),
    ),
    record('dmarc', 'TXT', `_dmarc.${name}`, `${DMARC}${kind === 'base' ? `; rua=mailto:postmaster@${name}` : ''}`),
    ...(ownershipToken === null
      ? []
      : [record('ownership', 'TXT', `_postroom.${name}`, ownershipValue(ownershipToken))]),
    ...(offersTls
      ? [
          record('mta_sts', 'TXT', `_mta-sts.${name}`, formatStsRecord(formatStsPolicy(hostname)), { required: false }),
          record('mta_sts', 'CNAME', `mta-sts.${name}`, hostname, { required: false }),
        ]
      : []),
    // RFC 8460 section 3. The address is in the domain, so that its owner reads the reports.
    record('tls_rpt', 'TXT', `_smtp._tls.${name}`, `v=TLSRPTv1; rua=mailto:postmaster@${name}`, { required: false }),
  ];
};
