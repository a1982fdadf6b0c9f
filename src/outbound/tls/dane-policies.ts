/** Discovers the DANE policy of a domain's MX hosts: RFC 7672 section 2. */

import type { TlsaAnswer } from 'dns-packet';
import type { DnssecAnswer, DnssecResolver } from '../../net/dns/dnssec-resolver.ts';
import { bareName } from '../../net/dns/fresh-lookup.ts';
import type { MailHost } from '../../net/dns/mx.ts';
import type { TlsaRecord } from '../../net/tls/dane.ts';

export type DaneFinding =
  | { readonly kind: 'none' }
  | { readonly kind: 'records'; readonly records: readonly TlsaRecord[] }
  /** DNS failed, or the host is not in the signed MX records: it is not contacted for now. */
  | { readonly kind: 'deferred'; readonly reason: string };

export interface DanePolicies {
  /** @returns one finding for each host */
  find(domain: string, hosts: readonly MailHost[]): Promise<DaneFinding[]>;
}

/** TLSA records of one host; matching each costs a digest. */
const MAX_RECORDS = 20;

const NONE: DaneFinding = { kind: 'none' };
const deferred = (reason: string): DaneFinding => ({ kind: 'deferred', reason });

/** The finding that an answer leads to; null: it is secure, and discovery continues. */
const toFinding = (answer: DnssecAnswer): DaneFinding | null => {
  if (answer.kind === 'failed') return deferred(answer.reason);
  return answer.isSecure ? null : NONE;
};

const toRecord = ({ data }: TlsaAnswer): TlsaRecord => ({
  usage: data.usage,
  selector: data.selector,
  matchingType: data.matchingType,
  data: data.certificate,
});

/** @param port the SMTP port, a part of the TLSA records' name */
export const createDanePolicies = ({ lookup, port }: { lookup: DnssecResolver; port: number }): DanePolicies => {
  const findForHost = async (name: string): Promise<DaneFinding> => {
    // RFC 7672 section 2.2.2: without secure address records no TLSA query is made; some unsigned zones' servers fail
    // on it.
    for (const type of ['A', 'AAAA'] as const) {
      const address = await lookup.query(name, type);
      const end = toFinding(address);
      if (end) return end;
      if (address.kind === 'answer' && address.records.length > 0) break;
    }
    const tlsa = await lookup.query(`_${port}._tcp.${name}`, 'TLSA');
    const end = toFinding(tlsa);
    if (end || tlsa.kind === 'failed') return end ?? NONE;
    const records = tlsa.records.flatMap((each) => (each.type === 'TLSA' ? [toRecord(each)] : []));
    return records.length > 0 ? { kind: 'records', records: records.slice(0, MAX_RECORDS) } : NONE;
  };

  return {
    find: async (domain, hosts) => {
      if (!lookup.isOn) return hosts.map(() => NONE);
      const mx = await lookup.query(domain, 'MX');
      const end = toFinding(mx);
      if (end || mx.kind === 'failed') return hosts.map(() => end ?? NONE);
      // RFC 5321 section 5.1: without an MX, the domain is its own host.
      const exchanges = mx.records.flatMap((each) => (each.type === 'MX' ? [bareName(each.data.exchange)] : []));
      const named = new Set(exchanges.length > 0 ? exchanges : [bareName(domain)]);
      return Promise.all(
        hosts.map(({ name }) =>
          named.has(bareName(name))
            ? findForHost(name)
            : deferred(`${name} is not in the signed MX records of ${domain}`),
        ),
      );
    },
  };
};
