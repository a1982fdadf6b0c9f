/** Mail addresses: an `Address` exists only parsed, so nothing downstream checks one again. */

import { domainToASCII } from 'node:url';

declare const brand: unique symbol;

/**
 * `local@domain`: the domain in lower-case ASCII (IDNA A-labels), the local part as written, quoted only where it has to
 * be. RFC 5321 section 4.1.2.
 */
export type Address = string & { readonly [brand]: 'address' };

/** A domain name in lower-case ASCII without a trailing dot. */
export type DomainName = string & { readonly [brand]: 'domain' };

/** An address with the name shown beside it: RFC 5322 section 3.4's mailbox. */
export interface NamedAddress {
  readonly name: string | null;
  readonly address: Address;
}

/** RFC 5321 section 4.5.3.1. */
const MAX_LOCAL_PART = 64;
const MAX_DOMAIN = 253;
const MAX_ADDRESS = 254;

/** A name that IDNA leaves as it is, save that it goes to lower case; an A-label is looked at. */
const PLAIN = /^(?!.*xn--)[A-Za-z0-9._-]+$/i;

const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** A dot-atom of RFC 5322 section 3.2.3, with RFC 6531's UTF-8. */
const DOT_ATOM =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+)*$/u;
/** A quoted string without control characters, RFC 5321's Quoted-string. */
const QUOTED = /^"([^"\\\p{Cc}]|\\[^\p{Cc}])*"$/u;

/** Reads a domain name of at least `minLabels` labels; null where it is none. */
export const parseDomain = (text: string, minLabels = 2): DomainName | null => {
  const bare = text.endsWith('.') ? text.slice(0, -1) : text;
  if (bare === '' || bare.length > MAX_DOMAIN || /[\s\p{Cc}/?#@:%]/u.test(bare)) return null;
  // domainToASCII rewrites a number to an IP address; a domain name's last label is never all digits (RFC 3696 section 2).
  const ascii = PLAIN.test(bare) ? bare.toLowerCase() : domainToASCII(bare).toLowerCase();
  if (ascii === '' || ascii.length > MAX_DOMAIN) return null;
  const labels = ascii.split('.');
  if (labels.length < minLabels || !labels.every((label) => LABEL.test(label))) return null;
  return /^[0-9]+$/.test(labels.at(-1) ?? '') ? null : (ascii as DomainName);
};

/** The mailbox that a local part names: `"a\nn"` is `ann`. Quotes and backslashes are syntax, and one name has one form. */
const unquoted = (local: string): string => {
  if (!local.startsWith('"')) return local;
  const name = local.slice(1, -1).replace(/\\(.)/gsu, '$1');
  return DOT_ATOM.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`;
};

/** Reads a bare address; null where it is none, or longer than RFC 5321 allows. */
export const parseAddress = (text: string): Address | null => {
  const at = text.lastIndexOf('@');
  if (at < 1) return null;
  const written = text.slice(0, at);
  if (Buffer.byteLength(written) > MAX_LOCAL_PART || !(DOT_ATOM.test(written) || QUOTED.test(written))) return null;
  const local = unquoted(written);
  const domain = parseDomain(text.slice(at + 1), 1);
  if (domain === null || Buffer.byteLength(local) + 1 + domain.length > MAX_ADDRESS) return null;
  return `${local}@${domain}` as Address;
};

/** Reads `a@b`, `<a@b>` or `Name <a@b>`; null where it is none. Control characters make it none: no header is split. */
export const parseNamedAddress = (text: string): NamedAddress | null => {
  const trimmed = text.trim();
  if (/\p{Cc}/u.test(trimmed)) return null;
  const match = /^(.*?)<([^<>]+)>$/u.exec(trimmed);
  if (!match) {
    const address = parseAddress(trimmed);
    return address && { name: null, address };
  }
  const address = parseAddress((match[2] ?? '').trim());
  const written = (match[1] ?? '').trim();
  const name = /^".*"$/u.test(written) ? written.slice(1, -1).replace(/\\(.)/gu, '$1') : written;
  return address && { name: name === '' ? null : name, address };
};

export const localPartOf = (address: Address): string => address.slice(0, address.lastIndexOf('@'));
export const domainOf = (address: Address): DomainName => address.slice(address.lastIndexOf('@') + 1) as DomainName;

/**
 * The form in which addresses are compared and stored as keys: no host that matters tells `Ann@` from `ann@`. Quotes are
 * taken off here too, as mail that was stored by older versions has addresses with them.
 */
export const addressKey = (address: Address): Address =>
  `${unquoted(localPartOf(address))}@${domainOf(address)}`.toLowerCase() as Address;

/** The mailbox behind a tag: `ann+news@x` reaches `ann@x`, here as with most hosts (RFC 5233). */
export const withoutTag = (address: Address): Address => {
  const local = localPartOf(address);
  const plus = local.indexOf('+');
  return plus > 0 ? (`${local.slice(0, plus)}@${domainOf(address)}` as Address) : address;
};

/** RFC 5322 section 3.2.3, but for the dot, which names have and readers take (section 4.1, obs-phrase). */
const SPECIALS = /[()<>[\]:;@\\,"]/;
/** An at sign of any width with something behind it; blanks around it are obsolete syntax, and common in names. */
const ADDRESS_WITHIN =
  /[^\s<>()[\]"',;:]+\s+[@\u{ff20}\u{fe6b}]\s*[^\s<>()[\]"',;:.]+\.[^\s<>()[\]"',;:]+|[^\s<>()[\]"',;:]*[@\u{ff20}\u{fe6b}][^\s<>()[\]"',;:]+/gu;
/** What is left of brackets and quotes once the address is out of them. */
const EMPTY_PAIRS = /<\s*>|\(\s*\)|\[\s*\]|"\s*"|'\s*'/g;

/** A name without the addresses in it: beside the address that was judged, no other is shown. */
const withoutAddresses = (name: string): string => {
  if (!/[@\u{ff20}\u{fe6b}]/u.test(name)) return name;
  return name.replace(ADDRESS_WITHIN, ' ').replace(EMPTY_PAIRS, ' ').replace(/\s+/g, ' ').trim();
};

/**
 * How an address is shown in replies: `Name <a@b>` where there is a name, else `a@b`. A name that has characters with a
 * meaning of their own stands in quotes; {@link parseNamedAddress} reads it back.
 */
export const formatNamed = ({ name, address }: NamedAddress): string => {
  const shown = withoutAddresses(name ?? '');
  if (shown === '') return address;
  return `${SPECIALS.test(shown) ? `"${shown.replace(/["\\]/g, '\\$&')}"` : shown} <${address}>`;
};

/** Whether `domain` is `parent` or lies under it. */
export const isWithin = (domain: string, parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`);
