/** The host's own DNS: A and AAAA, PTR, and SPF for the name that it greets with. */

import { evaluateSpf } from '../../mail/auth/check-own.ts';
import { checkIprev } from '../../net/dns/iprev.ts';
import { resolveHost } from '../../net/dns/mx.ts';
import type { Check, DoctorNeeds } from '../check.ts';
import { type Finding, fail, ok, skipped, warn } from '../finding.ts';

const checkAddresses = async ({
  config,
  ownAddresses,
  resolver,
}: DoctorNeeds): Promise<[Finding, readonly string[]]> => {
  const { hostname } = config;
  const { addresses, failure } = await resolveHost(hostname, resolver);
  if (failure !== null && addresses.length === 0) {
    return [fail('host_addresses', `${hostname} could not be looked up: ${failure}`, 'Look at [dns] resolvers.'), []];
  }
  if (addresses.length === 0) {
    const fix = `Publish an A record, and an AAAA where the machine has IPv6, for ${hostname}: postroom dns show ${hostname}`;
    return [fail('host_addresses', `${hostname} has no address.`, fix), []];
  }
  const told = `${hostname} is ${addresses.join(', ')}`;
  const foreign = addresses.filter((address) => !ownAddresses.includes(address));
  return [
    foreign.length === 0
      ? ok('host_addresses', told)
      : warn(
          'host_addresses',
          `${told}; no interface here has ${foreign.join(', ')}.`,
          'Behind an address translation this is as it should be; else correct the records.',
        ),
    addresses,
  ];
};

const checkPtr = async ({ config, resolver }: DoctorNeeds, address: string): Promise<Finding> => {
  const { hostname } = config;
  const { state, name } = await checkIprev(address, resolver);
  const fix = `Have whoever gave you the address set its PTR record to ${hostname}, in the hosting provider’s panel.`;
  if (state === 'unknown') return warn('ptr', `${address}: its PTR record could not be looked up.`, 'Run it again.');
  if (state === 'none') return fail('ptr', `${address} has no PTR record: large receivers refuse its mail.`, fix);
  if (state === 'unconfirmed') return fail('ptr', `${address} is called ${name}, which does not lead back to it.`, fix);
  return name === hostname
    ? ok('ptr', `${address} is called ${name}.`)
    : warn('ptr', `${address} is called ${name}, and greets as ${hostname}.`, fix);
};

/** RFC 7208 section 2.3: bounces have no sender but the greeting's name. */
const checkHeloSpf = async ({ config, resolver }: DoctorNeeds, address: string): Promise<Finding> => {
  const { hostname } = config;
  const resolve = (name: string, type: string) => resolver.resolve(name, type as 'TXT');
  const result = await evaluateSpf(hostname, address, hostname, resolve);
  return result === 'pass'
    ? ok('helo_spf', `${hostname} authorises ${address}.`)
    : warn('helo_spf', `SPF of ${hostname} for ${address}: ${result}`, `Publish TXT ${hostname} "v=spf1 a -all"`);
};

export const checkHost: Check = async (needs) => {
  if (needs.config.outbound.local_only) return [skipped('host_addresses', 'outbound.local_only: this machine alone.')];
  const [found, addresses] = await checkAddresses(needs);
  const each = await Promise.all(
    addresses.map(async (address) => [await checkPtr(needs, address), await checkHeloSpf(needs, address)]),
  );
  return [found, ...each.flat()];
};
