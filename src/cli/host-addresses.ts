/** The public addresses of this host. */

import type { Config } from '../config/config.ts';
import { isPrivateAddress } from '../net/ip/address-range.ts';
import { listInterfaceAddresses } from '../net/ip/own-addresses.ts';

/** As configured, else those of the machine's interfaces; behind an address translation there are none. */
export const findHostAddresses = ({ dns, outbound }: Config): string[] => {
  if (dns.server.host_addresses.length > 0) return [...dns.server.host_addresses];
  if (outbound.source_addresses.length > 0) return [...outbound.source_addresses];
  return [...new Set(listInterfaceAddresses())].filter((address) => !isPrivateAddress(address));
};
