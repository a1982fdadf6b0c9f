/** DNS block lists that the host's addresses are on. */

import { listedIn } from '../../net/dns/dnsbl.ts';
import { resolveHost } from '../../net/dns/mx.ts';
import { isPrivateAddress } from '../../net/ip/address-range.ts';
import type { Check } from '../check.ts';
import { fail, ok, skipped } from '../finding.ts';

/** Used where `[scan] dnsbl` names none: lists that receivers use, and that answer any client. */
const USUAL_LISTS = ['zen.spamhaus.org', 'bl.spamcop.net', 'psbl.surriel.com'];

export const checkReputation: Check = async ({ config, resolver }) => {
  if (config.outbound.local_only || config.outbound.smarthost)
    return [skipped('dnsbl', 'Mail leaves by no address of this host.')];
  const lists = config.scan.dnsbl.length > 0 ? config.scan.dnsbl : USUAL_LISTS;
  const { addresses } = await resolveHost(config.hostname, resolver);
  const checked = addresses.filter((address) => !isPrivateAddress(address));
  if (checked.length === 0) return [skipped('dnsbl', 'The host has no public address.')];
  const found = await Promise.all(
    checked.map(async (address) => ({ address, listed: await listedIn(address, lists, resolver) })),
  );
  return found.map(({ address, listed }) =>
    listed.length === 0
      ? ok('dnsbl', `${address} is on none of ${lists.join(', ')}.`)
      : fail('dnsbl', `${address} is on ${listed.join(', ')}.`, 'Their sites say why, and how to be taken off.'),
  );
};
