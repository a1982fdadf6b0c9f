import type { Config } from '../config/config.ts';
import { isPrivateAddress } from '../net/ip/address-range.ts';
import { isServed } from '../net/ip/bindings.ts';
import { listInterfaceAddresses } from '../net/ip/own-addresses.ts';

/** The addresses of the machine's interfaces; behind an address translation there are none. */
export const listPublicAddresses = (): string[] =>
  [...new Set(listInterfaceAddresses())].filter((address) => !isPrivateAddress(address));

/**
 * The configured addresses, else those of interfaces that receive mail; behind an address translation there are none.
 */
export const findHostAddresses = ({ dns, outbound, smtp }: Config): string[] => {
  if (dns.server.host_addresses.length > 0) return [...dns.server.host_addresses];
  if (outbound.source_addresses.length > 0) return [...outbound.source_addresses];
  return listPublicAddresses().filter((address) => isServed(address, smtp.listen));
};
