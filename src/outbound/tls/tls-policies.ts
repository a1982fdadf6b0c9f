/** The TLS security level of each of a domain's hosts: by DANE, else MTA-STS, else opportunistic (RFC 7435). */

import type { MailHost } from '../../net/dns/mx.ts';
import type { TlsFailure, TlsSecurityLevel } from '../../net/smtp/smtp-client.ts';
import { certificateFor } from '../../net/tls/certificate-check.ts';
import { DANE_TA, daneCheck, formatTlsa, usableRecords } from '../../net/tls/dane.ts';
import { allowsHost } from '../../net/tls/mta-sts-policy.ts';
import type { DaneFinding, DanePolicies } from './dane-policies.ts';
import type { StsFinding, StsPolicies } from './sts-policies.ts';
import type { ReportedPolicy, TlsResult, TlsResults } from './tls-results-count.ts';

export interface HostTls {
  /** Cached sessions with one host are interchangeable where their keys are equal. */
  readonly key: string;
  readonly level: TlsSecurityLevel;
  /** Counts a session's handshake for the domain's TLS report. */
  note(result: TlsResult): void;
}

export type DomainTls =
  | { readonly kind: 'hosts'; readonly hosts: readonly { readonly host: MailHost; readonly tls: HostTls }[] }
  /** The policy permits none of the hosts; retried, since a host may be spoofed or the policy about to change. */
  | { readonly kind: 'refused'; readonly reason: string };

export interface TlsPolicies {
  /** Not counted for any report. */
  readonly opportunistic: HostTls;
  /** PEM of CAs that are trusted beside the system's. */
  readonly extraCa: string | null;
  forDomain(domain: string, hosts: readonly MailHost[]): Promise<DomainTls>;
  /** For TLS reports: opportunistic and not counted, so that a report on broken TLS arrives (RFC 8460 section 3). */
  forReport(hosts: readonly MailHost[]): DomainTls;
}

export interface PolicyNeeds {
  extraCa: string | null;
  dane: DanePolicies;
  sts: StsPolicies;
  results: TlsResults;
}

/**
 * Octets of a policy's lines in reports, and of its hosts: RFC 8460 has them whole, but they may be 64 KiB long. Results are
 * stored by their policy, and an index of PostgreSQL takes 2 704 octets of a row.
 */
const MAX_LINE_OCTETS = 1_000;
const MAX_HOST_OCTETS = 500;

/** The first of them that take so many octets as JSON. */
const within = (most: number, texts: readonly string[]): string[] => {
  let octets = 0;
  return texts.filter((text) => {
    octets += Buffer.byteLength(JSON.stringify(text)) + 1;
    return octets <= most;
  });
};

const noPolicy = (domain: string): ReportedPolicy => ({ type: 'no-policy-found', domain, strings: [], mx: [] });

/** In the form of RFC 8460 section 4.4. */
const toReportedPolicy = (domain: string, finding: StsFinding): ReportedPolicy => {
  if (finding.kind === 'none') return noPolicy(domain);
  if (finding.kind === 'unavailable') return { type: 'sts', domain, strings: [], mx: [] };
  const lines = finding.text.split(/\r?\n/).filter((line) => line !== '');
  const [strings, mx] = [within(MAX_LINE_OCTETS, lines), within(MAX_HOST_OCTETS, finding.policy.mx)];
  return { type: 'sts', domain, strings, mx };
};

const NO_STS: StsFinding = { kind: 'none' };

const notNamed = (host: string): TlsFailure => ({
  type: 'validation-failure',
  reason: `The MTA-STS policy does not name ${host}`,
});

export const createTlsPolicies = ({ extraCa, dane, sts, results }: PolicyNeeds): TlsPolicies => {
  const opportunistic: HostTls = { key: 'opportunistic', level: { kind: 'opportunistic' }, note: () => {} };

  /** RFC 8461 section 5. @returns null where no mail may be sent to the host */
  const bySts = (domain: string, finding: StsFinding, { name }: MailHost): HostTls | null => {
    if (finding.kind === 'none' || (finding.kind === 'policy' && finding.policy.mode === 'none')) {
      return { ...opportunistic, note: (result) => results.note(domain, noPolicy(domain), name, result) };
    }
    const reported = toReportedPolicy(domain, finding);
    const note = (result: TlsResult) => results.note(domain, reported, name, result);
    if (finding.kind === 'unavailable') {
      return { ...opportunistic, note: (result) => note({ ...result, failure: finding.failure }) };
    }
    const { policy } = finding;
    const fault = allowsHost(policy, name) ? null : notNamed(name);
    if (policy.mode === 'testing') {
      return {
        key: 'sts-testing',
        level: { kind: 'opportunistic', check: certificateFor(name), extraCa },
        note: (result) => note({ ...result, failure: fault ?? result.failure }),
      };
    }
    if (fault) {
      note({ failure: fault, sendingIp: null, receivingIp: null });
      return null;
    }
    return { key: 'sts', level: { kind: 'required', check: certificateFor(name), extraCa }, note };
  };

  /** RFC 7672 section 2.2. @returns null where no mail may be sent to the host for now */
  const byDane = (
    domain: string,
    found: Exclude<DaneFinding, { kind: 'none' }>,
    { name }: MailHost,
  ): HostTls | null => {
    if (found.kind === 'deferred') {
      const failure: TlsFailure = { type: 'dnssec-invalid', reason: found.reason };
      const reported: ReportedPolicy = { type: 'tlsa', domain: name, strings: [], mx: [] };
      results.note(domain, reported, name, { failure, sendingIp: null, receivingIp: null });
      return null;
    }
    const strings = within(MAX_LINE_OCTETS, found.records.map(formatTlsa));
    const reported: ReportedPolicy = { type: 'tlsa', domain: name, strings, mx: [] };
    const note = (result: TlsResult) => results.note(domain, reported, name, result);
    const usable = usableRecords(found.records);
    if (usable.length === 0) return { key: 'dane-unusable', level: { kind: 'required', check: null }, note };
    // With DANE-TA the certificate may carry the domain's name (RFC 7672 section 3.2.2): the session is valid for it
    // alone.
    const key = usable.some(({ usage }) => usage === DANE_TA) ? `dane ${domain}` : 'dane';
    return { key, level: { kind: 'required', check: daneCheck(usable, [name, domain]) }, note };
  };

  return {
    opportunistic,
    extraCa,
    forReport: (hosts) => ({ kind: 'hosts', hosts: hosts.map((host) => ({ host, tls: opportunistic })) }),
    forDomain: async (domain, hosts) => {
      const secured = await dane.find(domain, hosts);
      // No MTA-STS fetch where DANE decides for every host.
      const finding = secured.some(({ kind }) => kind === 'none') ? await sts.find(domain) : NO_STS;
      const allowed = hosts.flatMap((host, at) => {
        const found = secured[at] ?? { kind: 'none' };
        // RFC 8461 section 2: MTA-STS does not override DANE.
        const tls = found.kind === 'none' ? bySts(domain, finding, host) : byDane(domain, found, host);
        return tls ? [{ host, tls }] : [];
      });
      if (allowed.length > 0) return { kind: 'hosts', hosts: allowed };
      const reason = secured.find((found) => found.kind === 'deferred')?.reason;
      return { kind: 'refused', reason: reason ?? `The MTA-STS policy of ${domain} names none of its mail servers` };
    },
  };
};
