/** Binds the configured addresses of listeners: `[::]` serves both families. */

import { existsSync } from 'node:fs';
import { isIPv4, isIPv6 } from 'node:net';
import { platform } from 'node:process';
import type { ListenAddress } from '../../config/config-values.ts';

/** Options of `listen` of node:net. */
export interface Binding extends ListenAddress {
  readonly ipv6Only: boolean;
}

const ANY_IPV6 = '::';

/** The file is missing where the kernel was started without IPv6 (`ipv6.disable=1`): no such socket can be made there. */
const hasKernelIpv6 = (): boolean => platform !== 'linux' || existsSync('/proc/net/if_inet6');

/**
 * Binds `[::]` to both families, to IPv6 alone where an IPv4 address of the same port stands beside it, and to IPv4 alone
 * where the machine has no IPv6.
 */
export const toBindings = (addresses: readonly ListenAddress[], hasIpv6: boolean = hasKernelIpv6()): Binding[] =>
  addresses.flatMap(({ host, port }) => {
    if (host !== ANY_IPV6) return [{ host, port, ipv6Only: false }];
    const isBesideIpv4 = addresses.some((other) => isIPv4(other.host) && other.port === port);
    if (hasIpv6) return [{ host, port, ipv6Only: isBesideIpv4 }];
    return isBesideIpv4 ? [] : [{ host: '0.0.0.0', port, ipv6Only: false }];
  });

/** Whether a listener accepts connections to an address of this machine. */
export const isServed = (address: string, listeners: readonly ListenAddress[]): boolean =>
  toBindings(listeners).some(({ host, ipv6Only }) => {
    if (host === address || host === ANY_IPV6) return host === address || !ipv6Only || isIPv6(address);
    return host === '0.0.0.0' && isIPv4(address);
  });
