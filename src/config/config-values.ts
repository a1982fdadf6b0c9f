/** Value types of config keys: each is parsed to its meaning, or rejected with the expected form. */

import { isIP, isIPv6 } from 'node:net';
import { z } from 'zod';
import { parseAddress, parseDomain } from '../kernel/address.ts';

/** Address of a listener. Port 0 selects a free one. */
export interface ListenAddress {
  /** An IP address without brackets, or a host name. */
  readonly host: string;
  readonly port: number;
}

export const formatListenAddress = ({ host, port }: ListenAddress): string =>
  isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;

export interface Smarthost {
  /** `smtps://`: TLS from the first byte. */
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  readonly credentials: { readonly user: string; readonly password: string } | null;
}

export type StorageLocation =
  | { readonly engine: 'sqlite'; readonly file: string }
  | { readonly engine: 'postgres'; readonly url: string };

/** The location as people read it. */
export const formatStorage = (location: StorageLocation): string => {
  if (location.engine === 'sqlite') return location.file;
  const { protocol, username, host, pathname, searchParams } = new URL(location.url);
  // Without the password, which may stand among the parameters too.
  return `${protocol}//${username && `${username}@`}${searchParams.get('host') ?? host}${pathname}`;
};

/** A string that `parse` accepts; any other value, also of another type, is reported as `expected`. */
const parsed = <T extends NonNullable<unknown> | null>(expected: string, parse: (text: string) => T | undefined) =>
  z.string(expected).transform((text, context): T => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue(expected);
    return z.NEVER;
  });

const orNull =
  <T>(parse: (text: string) => T | undefined) =>
  (text: string): T | null | undefined =>
    text === '' ? null : parse(text);

const parsePort = (text: string): number | undefined =>
  /^[0-9]{1,5}$/.test(text) && Number(text) <= 65535 ? Number(text) : undefined;

const parseListen = (text: string): ListenAddress | undefined => {
  const match = /^(?:\[([^\]]+)\]|([^:[\]]+)):([0-9]+)$/.exec(text);
  const port = parsePort(match?.[3] ?? '');
  if (!match || port === undefined) return undefined;
  if (match[1] !== undefined) return isIPv6(match[1]) ? { host: match[1], port } : undefined;
  const host = match[2] ?? '';
  return isIP(host) !== 0 || parseDomain(host, 1) !== null ? { host, port } : undefined;
};

/** Parses a network, or one address as a network of its own. */
const parseNetwork = (text: string): string | undefined => {
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  if (bits < 0 || rest.length > 0) return undefined;
  if (prefix === undefined) return `${address}/${bits}`;
  return /^[0-9]{1,3}$/.test(prefix) && Number(prefix) <= bits ? text : undefined;
};

const parseNameServer = (text: string): string | undefined => {
  if (isIP(text) !== 0) return text;
  const address = parseListen(text);
  return address && isIP(address.host) !== 0 && address.port > 0 ? text : undefined;
};

const parseHttpUrl = (text: string): URL | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' ? url : undefined;
};

/** A path is rejected: clients look for `/.well-known` at the root. */
const parseOrigin = (text: string): string | undefined => {
  const url = parseHttpUrl(text);
  return url && url.pathname === '/' && url.search === '' && url.hash === '' ? url.origin : undefined;
};

const percentDecoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

const parseSmarthost = (text: string): Smarthost | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '' || !/^\/?$/.test(url.pathname)) return undefined;
  // The rest of a password with unescaped `?` or `#`.
  if (url.search !== '' || url.hash !== '') return undefined;
  const user = percentDecoded(url.username);
  const password = percentDecoded(url.password);
  if (user === undefined || password === undefined || (user === '') !== (password === '')) return undefined;
  const secure = url.protocol === 'smtps:';
  return {
    secure,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    // RFC 8314 section 3.3 for 465, RFC 6409 section 3.1 for 587.
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    credentials: user === '' ? null : { user, password },
  };
};

const parseStorage = (text: string): StorageLocation | undefined => {
  // PostgreSQL's own programs take a user without a host, with a socket among the parameters.
  const url = text.replace(/^(postgres(?:ql)?:\/\/[^/?@]+@)\//, '$1localhost/');
  if (/^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url)) return { engine: 'postgres', url };
  return /^sqlite:[^:?\0]+$/.test(text) ? { engine: 'sqlite', file: text.slice('sqlite:'.length) } : undefined;
};

/** A host name: letters, digits and hyphens (RFC 1123 section 2.1); no certificate is issued for one with an underscore. */
export const domain = (example: string) =>
  parsed(`a domain name of letters, digits and hyphens, as "${example}"`, (text) =>
    text.includes('_') ? undefined : (parseDomain(text, 1) ?? undefined),
  );

export const listen = parsed('an address and a port, as "127.0.0.1:8026" or "[::1]:8026"', parseListen);
export const listenList = z.array(listen, 'a list of addresses with ports, as ["0.0.0.0:25", "[::]:25"]');

export const networkList = z.array(
  parsed('an IP address or network, as "10.0.0.0/8" or "::1"', parseNetwork),
  'a list of networks, as ["10.0.0.0/8", "::1/128"]',
);
export const addressList = z.array(
  parsed('an IP address, as "192.0.2.1"', (text) => (isIP(text) === 0 ? undefined : text)),
  'a list of IP addresses, as ["192.0.2.1"]',
);
export const nameServerList = z.array(
  parsed('the address of a name server, as "127.0.0.1" or "127.0.0.1:5353"', parseNameServer),
  'a list of name servers, as ["127.0.0.1:5353"]',
);
export const domainList = z.array(domain('zen.example.org'), 'a list of domain names, as ["zen.example.org"]');

/** Domains of SPF's `include:`, which may have labels that begin with an underscore. */
export const spfDomainList = z.array(
  parsed('a domain with an SPF record, as "spf.relay.example"', (text) =>
    parseDomain(text.replaceAll(/(^|\.)_/g, '$1'), 1) === null ? undefined : text.toLowerCase(),
  ),
  'a list of domains with SPF records, as ["spf.relay.example"]',
);

export const origin = parsed('an http or https URL without a path, as "https://mx.example.com"', parseOrigin);
export const httpUrl = parsed('an http or https URL', (text) => parseHttpUrl(text)?.href);
export const optionalHttpUrl = parsed(
  'an http or https URL, or ""',
  orNull((text) => parseHttpUrl(text)?.href),
);
export const optionalEmail = parsed(
  'an e-mail address, or ""',
  orNull((text) => parseAddress(text) ?? undefined),
);
export const smarthost = parsed(
  '"smtp://user:password@host:587", "smtps://…", or ""; in user and password, / ? # % : @ and blanks are written as %XX',
  orNull(parseSmarthost),
);
export const smarthosts = z.record(domain('example.com'), smarthost, 'a table of domains and smarthosts');
export const storageUrl = parsed(
  '"sqlite:" and a file name, as "sqlite:postroom.db", or a "postgres://" URL',
  parseStorage,
);

const parsePath = (text: string): string | undefined => (text === '' || text.includes('\0') ? undefined : text);
export const path = parsed('the path of a file or folder', parsePath);
export const optionalPath = parsed('the path of a file, or ""', orNull(parsePath));

export const port = z
  .int('a port number, 1 to 65535')
  .min(1, 'a port number, 1 to 65535')
  .max(65535, 'a port number, 1 to 65535');
export const bytes = z.int('a whole number of bytes').min(1, 'a number of bytes, 1 or more');

/** One of several words. */
export const word = <const T extends readonly [string, ...string[]]>(words: T) =>
  z.enum(words, `one of ${words.map((each) => `"${each}"`).join(', ')}`);
