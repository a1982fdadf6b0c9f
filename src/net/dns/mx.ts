/** Resolves the mail hosts of a domain (RFC 5321 section 5.1; RFC 7505 for null MX). */

import { isDnsError, isNoRecord, type MxRecord, type Resolver } from './resolver.ts';

export interface MailHost {
  /** The name for TLS and for per-host limits: the MX's, or the domain's own where it has no MX. */
  readonly name: string;
  /** IPv4 and IPv6, at least one, in the order of attempts. */
  readonly addresses: readonly string[];
}

export type MailRoute =
  /** In the order of attempts. */
  | { readonly kind: 'hosts'; readonly hosts: readonly MailHost[] }
  /** RFC 7505: the domain accepts no mail. */
  | { readonly kind: 'null-mx' }
  /** The domain does not exist, or none of its mail hosts has an address. */
  | { readonly kind: 'no-such-domain' }
  | { readonly kind: 'temporary'; readonly reason: string };

/** A number from 0 (inclusive) to 1 (exclusive). */
export type RandomFraction = () => number;

/** Maximum addresses over all hosts, as in Postfix. */
const MAX_ADDRESSES = 5;
/** Bounds the queries that one domain can cause; the most preferred hosts are kept. */
const MAX_HOSTS = 10;

type LookUpResult<T> =
  | { readonly kind: 'found'; readonly records: T[] }
  | { readonly kind: 'no-name' }
  | { readonly kind: 'no-data' }
  | { readonly kind: 'failed'; readonly reason: string };

const lookUp = async <T>(query: string, answer: Promise<T[]>): Promise<LookUpResult<T>> => {
  try {
    return { kind: 'found', records: await answer };
  } catch (error) {
    if (!isDnsError(error)) throw error;
    if (isNoRecord(error)) return { kind: error.code === 'ENOTFOUND' ? 'no-name' : 'no-data' };
    return { kind: 'failed', reason: `DNS ${query}: ${error.code}` };
  }
};

/** RFC 5321 section 5.1: hosts of equal preference are tried in random order. */
const byPreference = (records: readonly MxRecord[], random: RandomFraction): string[] =>
  records
    .map((record) => ({ ...record, order: random() }))
    .sort((a, b) => a.priority - b.priority || a.order - b.order)
    .map(({ exchange }) => exchange);

/**
 * Alternates the address families, so that many addresses of one do not crowd out the other. IPv4 first: it more often
 * has a PTR.
 */
const interleave = (first: readonly string[], second: readonly string[]): string[] =>
  Array.from({ length: Math.max(first.length, second.length) }, (_, at) => [first[at], second[at]])
    .flat()
    .filter((address) => address !== undefined);

/** Resolves the addresses of a host, alternating IPv4 and IPv6; `failure` where one of the two queries failed. */
export const resolveHost = async (name: string, resolver: Resolver) => {
  const [ipv4, ipv6] = await Promise.all([
    lookUp(`A ${name}`, resolver.resolve(name, 'A')),
    lookUp(`AAAA ${name}`, resolver.resolve(name, 'AAAA')),
  ]);
  const failure = [ipv4, ipv6].find((answer) => answer.kind === 'failed');
  return {
    name,
    addresses: interleave(ipv4.kind === 'found' ? ipv4.records : [], ipv6.kind === 'found' ? ipv6.records : []),
    failure: failure?.reason ?? null,
  };
};

const toRoute = async (names: readonly string[], resolver: Resolver): Promise<MailRoute> => {
  const found = await Promise.all(names.map((name) => resolveHost(name, resolver)));
  const hosts: MailHost[] = [];
  let remaining = MAX_ADDRESSES;
  for (const { name, addresses } of found) {
    const taken = addresses.slice(0, remaining);
    remaining -= taken.length;
    if (taken.length > 0) hosts.push({ name, addresses: taken });
  }
  if (hosts.length > 0) return { kind: 'hosts', hosts };
  const failed = found.find(({ failure }) => failure !== null);
  return failed?.failure ? { kind: 'temporary', reason: failed.failure } : { kind: 'no-such-domain' };
};

/**
 * Resolves a domain's route: its MX hosts, or by RFC 5321 section 5.1 its own address without an MX.
 * @param random sets the order of hosts of equal preference
 * @returns at most 5 addresses over all hosts; DNS results and failures are values, not errors
 */
export const resolveRoute = async (
  domain: string,
  resolver: Resolver,
  random: RandomFraction = Math.random,
): Promise<MailRoute> => {
  const answer = await lookUp(`MX ${domain}`, resolver.resolve(domain, 'MX'));
  if (answer.kind === 'failed') return { kind: 'temporary', reason: answer.reason };
  if (answer.kind === 'no-name') return { kind: 'no-such-domain' };
  if (answer.kind === 'no-data') return toRoute([domain], resolver);
  const named = answer.records.filter(({ exchange }) => exchange !== '' && exchange !== '.');
  if (named.length === 0) return { kind: 'null-mx' };
  return toRoute(byPreference(named, random).slice(0, MAX_HOSTS), resolver);
};
