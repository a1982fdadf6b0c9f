/** Resolves the route of a delivery: the smarthost of its sender's domain, else the MX hosts of the recipient's. */

import type { Smarthost } from '../../config/config-values.ts';
import { type Address, domainOf } from '../../kernel/address.ts';
import { type MailHost, resolveRoute } from '../../net/dns/mx.ts';
import type { Resolver } from '../../net/dns/resolver.ts';
import { isPrivateAddress } from '../../net/ip/address-range.ts';
import type { HostTls, TlsPolicies } from '../tls/tls-policies.ts';
import { type AttemptOutcome, outcomeWithoutSession, ownFault } from './attempt-outcome.ts';
import { findSmarthost, smarthostTls } from './smarthost.ts';

/** One address of one host. */
export interface Destination {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly tls: HostTls;
  /** Configured by the operator, for any recipient. */
  readonly isSmarthost: boolean;
}

/** In the order in which they are tried; at least one. */
export type Route = readonly Destination[];

export type RouteResult =
  | { readonly kind: 'route'; readonly route: Route }
  /** No host may be contacted: the attempt ends with this outcome. */
  | { readonly kind: 'none'; readonly outcome: AttemptOutcome };

export interface RouteNeeds {
  resolver: Resolver;
  /** Whether mail goes to domains of this instance alone, so that there is no route. */
  isLocalOnly: boolean;
  /** The port of MX hosts. */
  port: number;
  /** Private addresses that are allowed as destinations. */
  isAllowedPrivate: (ip: string) => boolean;
  /** The smarthost for a sender's domain; null where its mail goes by MX. */
  smarthostFor: (senderDomain: string) => Smarthost | null;
  tlsPolicies: TlsPolicies;
  /**
   * The sender of TLS reports, which are delivered even where the TLS policy fails (RFC 8460 section 3). Null: none.
   */
  tlsReporter: Address | null;
}

export const findRoute = async (
  needs: RouteNeeds,
  { domain, sender }: { domain: string; sender: Address },
): Promise<RouteResult> => {
  if (needs.isLocalOnly) return noRoute(ownFault('outbound.local_only: nothing is sent beyond this instance'));
  const smarthost = needs.smarthostFor(domainOf(sender));
  return smarthost ? overSmarthost(needs, smarthost) : overMailHosts(needs, domain, sender);
};

const toDestinations = ({ name, addresses }: MailHost, rest: Omit<Destination, 'name' | 'address'>): Destination[] =>
  addresses.map((address) => ({ name, address, ...rest }));

const toRoute = (route: Route): RouteResult => ({ kind: 'route', route });

const noRoute = (outcome: AttemptOutcome): RouteResult => ({ kind: 'none', outcome });

const overSmarthost = async ({ resolver, tlsPolicies }: RouteNeeds, smarthost: Smarthost): Promise<RouteResult> => {
  const { host: name, port, credentials } = smarthost;
  const { addresses, fault } = await findSmarthost(smarthost, resolver);
  if (fault) return noRoute({ ...ownFault(fault.text), reason: fault.reason });
  const level = smarthostTls(smarthost, tlsPolicies.extraCa);
  const tls: HostTls = level
    ? { key: `smarthost ${credentials?.user}`, level, note: () => {} }
    : tlsPolicies.opportunistic;
  return toRoute(toDestinations({ name, addresses }, { port, tls, isSmarthost: true }));
};

const overMailHosts = async (needs: RouteNeeds, domain: string, sender: Address): Promise<RouteResult> => {
  const { resolver, isAllowedPrivate, tlsPolicies, tlsReporter, port } = needs;
  const found = await resolveRoute(domain, resolver);
  switch (found.kind) {
    case 'temporary':
      return noRoute(outcomeWithoutSession('retry', found.reason, '4.4.3'));
    case 'no-such-domain':
      // A domain is gone for good less often than its DNS is broken for an hour.
      return noRoute({
        ...outcomeWithoutSession('permanent', 'This domain does not exist, or has no mail server', '5.1.2'),
        mayPass: true,
      });
    case 'null-mx':
      return noRoute(outcomeWithoutSession('permanent', 'This domain takes no mail (RFC 7505)', '5.1.10'));
    case 'hosts': {
      const policy =
        sender === tlsReporter ? tlsPolicies.forReport(found.hosts) : await tlsPolicies.forDomain(domain, found.hosts);
      if (policy.kind === 'refused') return noRoute(outcomeWithoutSession('retry', policy.reason, '4.7.5'));
      const destinations = policy.hosts.flatMap(({ host, tls }) =>
        toDestinations(host, { port, tls, isSmarthost: false }),
      );
      const reachable = destinations.filter(({ address }) => !isPrivateAddress(address) || isAllowedPrivate(address));
      if (reachable.length > 0) return toRoute(reachable);
      // Untrusted DNS must not lead into this instance's own network. Blocked, not permanent: the records may be
      // repaired.
      return noRoute(
        outcomeWithoutSession('blocked', 'The mail servers of this domain have private addresses alone', '5.4.4'),
      );
    }
  }
};
