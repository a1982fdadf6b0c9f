/** Which hosts of a domain are to be checked by DANE: RFC 7672 section 2. */

import type { TlsaAnswer } from 'dns-packet';
import type { DnssecAnswer, DnssecResolver } from '../../net/dns/dnssec-resolver.ts';
import type { MailHost } from '../../net/dns/mx.ts';
import type { TlsaRecord } from '../../net/tls/dane.ts';

export type DaneFinding =
  | { readonly kind: 'none' }
  | { readonly kind: 'records'; readonly records: readonly TlsaRecord[] }
  /** What DNS says cannot be trusted, so that the host is not asked for now. */
  | { readonly kind: 'deferred'; readonly reason: string };

export interface DanePolicies {
  /** One for each host. */
  find(domain: string, hosts: readonly MailHost[]): Promise<DaneFinding[]>;
}

/** A host has a few; each of them costs a digest. */
const MAX_RECORDS = 20;

const NONE: DaneFinding = { kind: 'none' };
const deferred = (reason: string): DaneFinding => ({ kind: 'deferred', reason });

/** Where an answer ends the search, what it ends with; null: it is secure, and the search goes on. */
const endOf = (answer: DnssecAnswer): DaneFinding | null => {
  if (answer.kind === 'failed') return deferred(answer.reason);
  return answer.isSecure ? null : NONE;
};

const toRecord = ({ data }: TlsaAnswer): TlsaRecord => ({
  usage: data.usage,
  selector: data.selector,
  matchingType: data.matchingType,
  data: data.certificate,
});

const nameOf = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/** @param port the one that is dialled: it is part of the records' name */
export const createDanePolicies = ({ lookup, port }: { lookup: DnssecResolver; port: number }): DanePolicies => {
  const ofHost = async (name: string): Promise<DaneFinding> => {
    // RFC 7672 section 2.2.2: a host whose address is not secure has no TLSA records worth asking for, and some servers
    // that do not sign answer such questions wrongly.
    for (const type of ['A', 'AAAA'] as const) {
      const address = await lookup.ask(name, type);
      const end = endOf(address);
      if (end) return end;
      if (address.kind === 'answer' && address.records.length > 0) break;
    }
    const tlsa = await lookup.ask(`_${port}._tcp.${name}`, 'TLSA');
    const end = endOf(tlsa);
    if (end || tlsa.kind === 'failed') return end ?? NONE;
    const records = tlsa.records.flatMap((each) => (each.type === 'TLSA' ? [toRecord(each)] : []));
    return records.length > 0 ? { kind: 'records', records: records.slice(0, MAX_RECORDS) } : NONE;
  };

  return {
    find: async (domain, hosts) => {
      if (!lookup.isOn) return hosts.map(() => NONE);
      const mx = await lookup.ask(domain, 'MX');
      const end = endOf(mx);
      if (end || mx.kind === 'failed') return hosts.map(() => end ?? NONE);
      // RFC 5321 section 5.1: without an MX, the domain is its own host.
      const exchanges = mx.records.flatMap((each) => (each.type === 'MX' ? [nameOf(each.data.exchange)] : []));
      const named = new Set(exchanges.length > 0 ? exchanges : [nameOf(domain)]);
      return Promise.all(
        hosts.map(({ name }) =>
          named.has(nameOf(name)) ? ofHost(name) : deferred(`${name} is not in the signed MX records of ${domain}`),
        ),
      );
    },
  };
};
