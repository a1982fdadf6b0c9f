/** Which hosts take a domain's mail: RFC 5321 section 5.1, RFC 7505 for domains that take none. */

import { isDnsError, isNoRecord, type MxRecord, type Resolver } from './resolver.ts';

export interface MailHost {
  /** The name for TLS and for per-host limits: the MX's, or the domain's own where it has no MX. */
  readonly name: string;
  /** IPv4 and IPv6, at least one, to be tried in this order. */
  readonly addresses: readonly string[];
}

export type MailRoute =
  /** To be tried in this order. */
  | { readonly kind: 'hosts'; readonly hosts: readonly MailHost[] }
  /** RFC 7505: the domain says that it takes no mail. */
  | { readonly kind: 'null-mx' }
  /** The domain does not exist, or nothing that could take its mail does. */
  | { readonly kind: 'no-such-domain' }
  | { readonly kind: 'temporary'; readonly reason: string };

/** A number from 0 up to, not including, 1. */
export type RandomFraction = () => number;

/** Over all hosts, as Postfix has it: enough to reach a domain that means to be reached. */
const MAX_ADDRESSES = 5;
/** A longer list is a way to make us ask questions; the best hosts are kept. */
const MAX_HOSTS = 10;

type LookUp<T> =
  | { readonly kind: 'found'; readonly records: T[] }
  | { readonly kind: 'no-name' }
  | { readonly kind: 'no-data' }
  | { readonly kind: 'failed'; readonly reason: string };

const settle = async <T>(question: string, answer: Promise<T[]>): Promise<LookUp<T>> => {
  try {
    return { kind: 'found', records: await answer };
  } catch (error) {
    if (!isDnsError(error)) throw error;
    if (isNoRecord(error)) return { kind: error.code === 'ENOTFOUND' ? 'no-name' : 'no-data' };
    return { kind: 'failed', reason: `DNS ${question}: ${error.code}` };
  }
};

/** RFC 5321 section 5.1: hosts of equal preference are tried in random order. */
const byPreference = (records: readonly MxRecord[], random: RandomFraction): string[] =>
  records
    .map((record) => ({ ...record, order: random() }))
    .sort((a, b) => a.priority - b.priority || a.order - b.order)
    .map(({ exchange }) => exchange);

/** The families in turn, so that many addresses of one do not keep the other out. IPv4 first: it more often has a PTR. */
const inTurn = (first: readonly string[], second: readonly string[]): string[] =>
  Array.from({ length: Math.max(first.length, second.length) }, (_, at) => [first[at], second[at]])
    .flat()
    .filter((address) => address !== undefined);

/** The addresses of a host, IPv4 and IPv6 in turn; `failure` where DNS did not answer for one of the two. */
export const lookUpHost = async (name: string, resolver: Resolver) => {
  const [ipv4, ipv6] = await Promise.all([
    settle(`A ${name}`, resolver.resolve(name, 'A')),
    settle(`AAAA ${name}`, resolver.resolve(name, 'AAAA')),
  ]);
  const failure = [ipv4, ipv6].find((answer) => answer.kind === 'failed');
  return {
    name,
    addresses: inTurn(ipv4.kind === 'found' ? ipv4.records : [], ipv6.kind === 'found' ? ipv6.records : []),
    failure: failure?.reason ?? null,
  };
};

const routeOver = async (names: readonly string[], resolver: Resolver): Promise<MailRoute> => {
  const found = await Promise.all(names.map((name) => lookUpHost(name, resolver)));
  const hosts: MailHost[] = [];
  let room = MAX_ADDRESSES;
  for (const { name, addresses } of found) {
    const taken = addresses.slice(0, room);
    room -= taken.length;
    if (taken.length > 0) hosts.push({ name, addresses: taken });
  }
  if (hosts.length > 0) return { kind: 'hosts', hosts };
  const failed = found.find(({ failure }) => failure !== null);
  return failed?.failure ? { kind: 'temporary', reason: failed.failure } : { kind: 'no-such-domain' };
};

/**
 * Where a domain's mail goes: its MX hosts, or by RFC 5321 section 5.1 its own address where it has none.
 * @param random sets the order of hosts of equal preference
 * @returns at most 5 addresses over all hosts; what DNS says and what it fails to say are values, not errors
 */
export const mailHosts = async (
  domain: string,
  resolver: Resolver,
  random: RandomFraction = Math.random,
): Promise<MailRoute> => {
  const answer = await settle(`MX ${domain}`, resolver.resolve(domain, 'MX'));
  if (answer.kind === 'failed') return { kind: 'temporary', reason: answer.reason };
  if (answer.kind === 'no-name') return { kind: 'no-such-domain' };
  if (answer.kind === 'no-data') return routeOver([domain], resolver);
  const named = answer.records.filter(({ exchange }) => exchange !== '' && exchange !== '.');
  if (named.length === 0) return { kind: 'null-mx' };
  return routeOver(byPreference(named, random).slice(0, MAX_HOSTS), resolver);
};
