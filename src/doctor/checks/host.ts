/** The host's own DNS: A and AAAA, PTR, SPF for the HELO name, and the block lists that its addresses are on. */

import { isIPv6 } from 'node:net';
import { formatListenAddress } from '../../config/config-values.ts';
import { evaluateSpf } from '../../mail/auth/check-own.ts';
import { answeringLists, listedIn } from '../../net/dns/dnsbl.ts';
import { checkIprev } from '../../net/dns/iprev.ts';
import { resolveHost } from '../../net/dns/mx.ts';
import { isPrivateAddress } from '../../net/ip/address-range.ts';
import type { Check, DoctorNeeds } from '../check.ts';
import { type Finding, fail, ok, skipped, warn } from '../finding.ts';

/** Used where `[scan] dnsbl` names none: lists that receivers use, and that answer any client. */
const USUAL_LISTS = ['zen.spamhaus.org', 'bl.spamcop.net', 'psbl.surriel.com'];

/** Lists that are asked about each client, too, are worth a warning. */
const judgeSilent = (silent: readonly string[], { scan }: DoctorNeeds['config']): Finding[] => {
  if (silent.length === 0) return [];
  const told = `${silent.join(', ')} does not answer this machine, as lists refuse resolvers that many share. Its site tells more.`;
  if (scan.dnsbl.length === 0) return [skipped('dnsbl', told)];
  return [warn('dnsbl', told, 'Look at the names in [scan] dnsbl; [dns] resolvers can name a resolver of your own.')];
};

export const checkReputation: Check = async ({ config, resolver }) => {
  if (config.outbound.local_only || config.outbound.smarthost)
    return [skipped('dnsbl', 'Mail leaves by no address of this host.')];
  const lists = config.scan.dnsbl.length > 0 ? config.scan.dnsbl : USUAL_LISTS;
  const { addresses } = await resolveHost(config.hostname, resolver);
  const checked = addresses.filter((address) => !isPrivateAddress(address));
  if (checked.length === 0) return [skipped('dnsbl', 'The host has no public address.')];
  const answering = await answeringLists(lists, resolver);
  const found = await Promise.all(
    checked.map(async (address) => ({ address, listed: await listedIn(address, lists, resolver) })),
  );
  const listed = found.flatMap(({ address, listed }) => {
    if (listed.length > 0)
      return [fail('dnsbl', `${address} is on ${listed.join(', ')}.`, 'Their sites say why, and how to be taken off.')];
    return answering.length > 0 ? [ok('dnsbl', `${address} is on none of ${answering.join(', ')}.`)] : [];
  });
  return [
    ...listed,
    ...judgeSilent(
      lists.filter((list) => !answering.includes(list)),
      config,
    ),
  ];
};

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

/** Connects to a published address like other hosts do: a wrong one delays or loses their mail. */
const checkPublished = async ({ config, connect, isServing }: DoctorNeeds, address: string): Promise<Finding> => {
  const name = 'published_address';
  if (!isServing) return skipped(name, `${address}: the daemon does not run.`);
  const { protocol, port } = new URL(config.public_url);
  const ports = new Set([
    ...config.smtp.listen.map((listener) => listener.port),
    Number(port || (protocol === 'https:' ? 443 : 80)),
  ]);
  const asked = await Promise.all(
    [...ports].map(async (port) => ({
      at: formatListenAddress({ host: address, port }),
      reason: await connect(address, port),
    })),
  );
  const silent = asked.filter(({ reason }) => reason !== null);
  if (silent.length === 0)
    return ok(name, `${asked.map(({ at }) => at).join(' and ')} take connections from this machine.`);
  const type = isIPv6(address) ? 'AAAA' : 'A';
  return fail(
    name,
    silent.map(({ at, reason }) => `${at} takes no connection: ${reason}.`).join(' '),
    `Other hosts are led there by the ${type} record of ${config.hostname}: let a listener and the firewall take it ("[::]:25" serves both families), set a record that Cloudflare proxies to DNS only, or take the record away.`,
  );
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

/** RFC 7208 section 2.3: a bounce has no sender but the HELO name. */
const checkHeloSpf = async ({ config, resolver }: DoctorNeeds, address: string): Promise<Finding> => {
  const { hostname } = config;
  const resolve = (name: string, type: string) => resolver.resolve(name, type as 'TXT');
  const result = await evaluateSpf(hostname, address, hostname, resolve);
  return result === 'pass'
    ? ok('helo_spf', `${hostname} authorises ${address}.`)
    : warn('helo_spf', `SPF of ${hostname} for ${address}: ${result}`, `Publish TXT ${hostname} "v=spf1 a -all"`);
};

/** Of several addresses the system may choose another one than that which has the PTR record. */
const checkSources = ({ config, sourceAddresses }: DoctorNeeds, addresses: readonly string[]): Finding[] => {
  if (config.outbound.smarthost || addresses.length === 0) return [];
  const strange = sourceAddresses.filter((address) => !isPrivateAddress(address) && !addresses.includes(address));
  return strange.map((address) =>
    warn(
      'source_address',
      `Mail leaves by ${address}, which ${config.hostname} is not: receivers ask for the PTR record and the SPF of this one.`,
      `Name the published address in [outbound] source_addresses, or publish ${address} as well, with its PTR record.`,
    ),
  );
};

export const checkHost: Check = async (needs) => {
  if (needs.config.outbound.local_only) return [skipped('host_addresses', 'outbound.local_only: this machine alone.')];
  const [found, addresses] = await checkAddresses(needs);
  const each = await Promise.all(
    addresses.map((address) =>
      Promise.all([checkPublished(needs, address), checkPtr(needs, address), checkHeloSpf(needs, address)]),
    ),
  );
  return [found, ...each.flat(), ...checkSources(needs, addresses)];
};
