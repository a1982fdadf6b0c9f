/** Where a delivery goes: the smarthost where one is set for its sender, else the hosts that its domain names. */

import { isIP } from 'node:net';
import type { Smarthost } from '../../config/config-values.ts';
import { type Address, domainOf } from '../../kernel/address.ts';
import { lookUpHost, type MailHost, mailHosts } from '../../net/dns/mx.ts';
import type { Resolver } from '../../net/dns/resolver.ts';
import { isPrivateAddress } from '../../net/ip/address-range.ts';
import type { Login } from '../../net/smtp/client-auth.ts';
import { certificateFor } from '../../net/tls/certificate-check.ts';
import type { HostTls, TlsPolicies } from '../tls/tls-policies.ts';
import { type AttemptOutcome, outcomeWithoutSession } from './attempt-outcome.ts';

/** One address of one host. */
export interface Destination {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly tls: HostTls;
  readonly login: Login | null;
  /** The operator's choice, whoever the recipient is. */
  readonly isSmarthost: boolean;
}

/** To be tried in this order; at least one. */
export type Route = readonly Destination[];

export interface RouteNeeds {
  resolver: Resolver;
  /** The port dialled at MX hosts. */
  port: number;
  /** Private addresses that may be reached all the same. */
  isAllowedPrivate: (ip: string) => boolean;
  /** The smarthost for a sender's domain; null where its mail goes by MX. */
  smarthostFor: (senderDomain: string) => Smarthost | null;
  tlsPolicies: TlsPolicies;
  /** Whose mail tells of broken TLS, and so goes out all the same: RFC 8460 section 3. Null: nobody's. */
  tlsReporter: Address | null;
}

/** @returns the route, or how the attempt ends without one */
export const findRoute = async (
  needs: RouteNeeds,
  { domain, sender }: { domain: string; sender: Address },
): Promise<Route | AttemptOutcome> => {
  const smarthost = needs.smarthostFor(domainOf(sender));
  return smarthost ? overSmarthost(needs, smarthost) : overMailHosts(needs, domain, sender);
};

const toDestinations = ({ name, addresses }: MailHost, rest: Omit<Destination, 'name' | 'address'>): Destination[] =>
  addresses.map((address) => ({ name, address, ...rest }));

/** The operator named it: wherever it stands, it may be reached. */
const overSmarthost = async (
  { resolver, tlsPolicies }: RouteNeeds,
  { host: name, port, secure, credentials }: Smarthost,
): Promise<Route | AttemptOutcome> => {
  const { addresses, failure } = isIP(name) ? { addresses: [name], failure: null } : await lookUpHost(name, resolver);
  if (addresses.length === 0) return outcomeWithoutSession('retry', failure ?? `The smarthost ${name} has no address`);
  const isVerified = secure || credentials !== null;
  const tls: HostTls = isVerified
    ? {
        key: 'smarthost',
        demand: { kind: 'required', implicit: secure, check: certificateFor(name), extraCa: tlsPolicies.extraCa },
        note: () => {},
      }
    : tlsPolicies.opportunistic;
  return toDestinations({ name, addresses }, { port, tls, login: credentials, isSmarthost: true });
};

const overMailHosts = async (needs: RouteNeeds, domain: string, sender: Address): Promise<Route | AttemptOutcome> => {
  const { resolver, isAllowedPrivate, tlsPolicies, tlsReporter, port } = needs;
  const found = await mailHosts(domain, resolver);
  switch (found.kind) {
    case 'temporary':
      return outcomeWithoutSession('retry', found.reason);
    case 'no-such-domain':
      return outcomeWithoutSession('permanent', 'This domain does not exist, or has no mail server', '5.1.2');
    case 'null-mx':
      return outcomeWithoutSession('permanent', 'This domain takes no mail (RFC 7505)', '5.1.10');
    case 'hosts': {
      const policy =
        sender === tlsReporter ? tlsPolicies.forReport(found.hosts) : await tlsPolicies.forDomain(domain, found.hosts);
      if (policy.kind === 'refused') return outcomeWithoutSession('retry', policy.reason, '4.7.5');
      const hops = policy.hosts.flatMap(({ host, tls }) =>
        toDestinations(host, { port, tls, login: null, isSmarthost: false }),
      );
      const reachable = hops.filter(({ address }) => !isPrivateAddress(address) || isAllowedPrivate(address));
      if (reachable.length > 0) return reachable;
      // A stranger's DNS shall not point us into the network we stand in. It may be mended by tomorrow.
      return outcomeWithoutSession('blocked', 'The mail servers of this domain have private addresses alone', '5.4.4');
    }
  }
};
