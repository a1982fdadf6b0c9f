/** Which TLS a domain's hosts are to have: what the domain publishes, else what can be had (RFC 7435). */

import type { MailHost } from '../net/mx.ts';
import type { TlsDemand, TlsFailure } from '../net/smtp-client.ts';

/** How TLS went with a host. */
export interface TlsResult {
  readonly failure: TlsFailure | null;
}

export interface HostTls {
  /** Sessions with one host may stand for one another where this is the same. */
  readonly key: string;
  readonly demand: TlsDemand;
  /** Told of each session's end of the handshake, for the domain's report. */
  note(result: TlsResult): void;
}

export type DomainTls =
  | { readonly kind: 'hosts'; readonly hosts: readonly { readonly host: MailHost; readonly tls: HostTls }[] }
  /** The domain's policy leaves no host. Come again later: it may be a host that lies, or a policy about to change. */
  | { readonly kind: 'refused'; readonly reason: string };

export interface TlsPolicies {
  readonly opportunistic: HostTls;
  /** PEM of authorities that are trusted beside the usual ones. */
  readonly extraCa: string | null;
  forDomain(domain: string, hosts: readonly MailHost[]): Promise<DomainTls>;
}

export const createTlsPolicies = ({ extraCa }: { extraCa: string | null }): TlsPolicies => {
  const opportunistic: HostTls = { key: 'opportunistic', demand: { kind: 'opportunistic' }, note: () => {} };
  return {
    opportunistic,
    extraCa,
    forDomain: async (_domain, hosts) => ({
      kind: 'hosts',
      hosts: hosts.map((host) => ({ host, tls: opportunistic })),
    }),
  };
};
