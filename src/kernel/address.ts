/** Mail addresses: an `Address` exists only parsed, so later code needs no check. */

import { domainToASCII } from 'node:url';
import { toNormalForm } from './text/normal-form.ts';

declare const brand: unique symbol;

/**
 * `local@domain`: the domain in lower-case ASCII (IDNA A-labels), the local part unchanged, quoted only where necessary
 * (RFC 5321 section 4.1.2).
 */
export type Address = string & { readonly [brand]: 'address' };

/** A domain name in lower-case ASCII without a trailing dot. */
export type DomainName = string & { readonly [brand]: 'domain' };

/** An address with its display name: the mailbox of RFC 5322 section 3.4. */
export interface NamedAddress {
  readonly name: string | null;
  readonly address: Address;
}

/**
 * RFC 5321 section 4.5.3.1. Its 64 octets of a local part are no bound here, as it advises: return paths of mass mail and
 * GitHub's Reply-To are longer.
 */
const MAX_DOMAIN = 253;
const MAX_ADDRESS = 254;
/** Quotes and backslashes come off, and a domain in letters of its own may be shorter than its A-labels. */
const MAX_WRITTEN = 2 * MAX_ADDRESS;

/** A name that IDNA only lower-cases; one with an A-label goes through IDNA validation. */
const PLAIN = /^(?!.*xn--)[A-Za-z0-9._-]+$/i;

const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** A dot-atom of RFC 5322 section 3.2.3, with RFC 6531's UTF-8. */
const DOT_ATOM =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+)*$/u;
/** Dots in a row or at an end, which need quotes: some Japanese carriers gave such addresses out and write them without. */
const UNQUOTED_DOTS = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+$/;
/** A quoted string without control characters (RFC 5321, Quoted-string). */
const QUOTED = /^"([^"\\\p{Cc}]|\\[^\p{Cc}])*"$/u;

/**
 * Invisible characters, characters that stand for blanks, and characters that reorder text: an address with one reads
 * as another (RFC 8265 section 3.4, UTS 39 section 3.1). A quoted local part may have a space.
 */
const MISLEADING = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;
const EACH_MISLEADING = new RegExp(MISLEADING, 'gu');
/** The same, except joiners that shape letters and emoji, and control characters, which are handled apart. */
const MISLEADING_IN_NAMES =
  /(?![\p{Cc}\p{Zs}\p{Join_Control}\p{Variation_Selector}])[\p{C}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Blanks and invisible characters around an address that is pasted, as Outlook, Excel and SharePoint leave them. None
 * reorders the text, as U+202E would: the address reads as the one without them.
 */
const UNSEEN = '[\\s\\u00ad\\u200b\\u200e\\u200f\\u202a\\u202c\\u2060\\ufeff]';
/** Looks behind, so that a run of blanks within a text is read once. */
const AROUND = new RegExp(`^${UNSEEN}+|(?<!${UNSEEN})${UNSEEN}+$`, 'g');

/** Parses a domain name of at least `minLabels` labels; null for any other text. */
export const parseDomain = (text: string, minLabels = 2): DomainName | null => {
  const bare = text.endsWith('.') ? text.slice(0, -1) : text;
  if (bare === '' || bare.length > MAX_DOMAIN || /[\s\p{Cc}/?#@:%]/u.test(bare)) return null;
  // domainToASCII rewrites a number to an IP address; a domain name's last label is never all digits (RFC 3696
  // section 2).
  const ascii = PLAIN.test(bare) ? bare.toLowerCase() : domainToASCII(bare).toLowerCase();
  if (ascii === '' || ascii.length > MAX_DOMAIN) return null;
  const labels = ascii.split('.');
  if (labels.length < minLabels || !labels.every((label) => LABEL.test(label))) return null;
  return /^[0-9]+$/.test(labels.at(-1) ?? '') ? null : (ascii as DomainName);
};

/** Normalises a quoted local part: `"a\nn"` is `ann`, because quotes and backslashes are syntax. */
const unquoted = (local: string): string => {
  if (!local.startsWith('"')) return local;
  const name = local.slice(1, -1).replace(/\\(.)/gsu, '$1');
  return DOT_ATOM.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`;
};

/**
 * Parses a bare address of a received mail; null where it is invalid or exceeds the lengths of RFC 5321. It may have
 * misleading characters, which {@link formatNamed} escapes.
 */
export const parseReceivedAddress = (text: string): Address | null => {
  const local = text.slice(0, Math.max(0, text.lastIndexOf('@')));
  const hasDots = UNQUOTED_DOTS.test(local) && !DOT_ATOM.test(local);
  return parseWritten(hasDots ? `"${local}"${text.slice(local.length)}` : text);
};

const parseWritten = (text: string): Address | null => {
  const at = text.lastIndexOf('@');
  if (at < 1) return null;
  const written = text.slice(0, at);
  if (text.length > MAX_WRITTEN || !(DOT_ATOM.test(written) || QUOTED.test(written))) return null;
  const local = unquoted(written);
  const domain = parseDomain(text.slice(at + 1), 1);
  if (domain === null || Buffer.byteLength(local) + 1 + domain.length > MAX_ADDRESS) return null;
  return `${local}@${domain}` as Address;
};

/** The same, normalised (RFC 6532 section 3.1); null as well for an address that reads as another. */
export const parseAddress = (text: string): Address | null => {
  const address = parseWritten(toNormalForm(text, 'NFC'));
  return address === null || isMisleading(address) ? null : address;
};

/** Whether an address has characters by which it reads as another. */
export const isMisleading = (address: Address): boolean => MISLEADING.test(address);

/**
 * Parses `a@b`, `<a@b>` or `Name <a@b>`; null for any other text. Rejects control characters, which would allow header
 * injection.
 */
export const parseNamedAddress = (text: string): NamedAddress | null => {
  const trimmed = text.replace(AROUND, '');
  if (/\p{Cc}/u.test(trimmed)) return null;
  const match = /^(.*?)<([^<>]+)>$/u.exec(trimmed);
  if (!match) {
    const address = parseAddress(trimmed);
    return address && { name: null, address };
  }
  const address = parseAddress((match[2] ?? '').replace(AROUND, ''));
  const written = (match[1] ?? '').trim();
  const name = /^".*"$/u.test(written) ? written.slice(1, -1).replace(/\\(.)/gu, '$1') : written;
  return address && { name: name === '' ? null : name, address };
};

export const localPartOf = (address: string): string => address.slice(0, address.lastIndexOf('@'));
export const domainOf = (address: Address): DomainName => address.slice(address.lastIndexOf('@') + 1) as DomainName;

/**
 * Normalises an address for comparison and as a key: real hosts ignore case in local parts. Also removes unnecessary
 * quotes, which addresses in mail stored by older versions have.
 */
export const addressKey = (address: Address): Address =>
  toNormalForm(`${unquoted(localPartOf(address))}@${domainOf(address)}`, 'NFC').toLowerCase() as Address;

/** Whether `written`, with a name or without one, is this address. @param key as {@link addressKey} has it */
export const isAddressOf = (written: string, key: Address): boolean => {
  const parsed = parseNamedAddress(written);
  return parsed !== null && addressKey(parsed.address) === key;
};

/** Removes a subaddress: `ann+news@x` is delivered to `ann@x` (RFC 5233). */
export const withoutTag = (address: Address): Address => {
  const local = localPartOf(address);
  const plus = local.indexOf('+');
  return plus > 0 ? (`${local.slice(0, plus)}@${domainOf(address)}` as Address) : address;
};

/** RFC 5322 section 3.2.3, without the dot, which display names contain and parsers accept (section 4.1, obs-phrase). */
const SPECIALS = /[()<>[\]:;@\\,"]/;
/**
 * An at sign of any width with text after it; blanks around it are obsolete syntax, and common in names. A match begins
 * where a word begins: tried from each letter of a long word, 1 000 names took a second.
 */
const ADDRESS_WITHIN =
  /(?<![^\s<>()[\]"',;:])(?:[^\s<>()[\]"',;:]+\s+[@\u{ff20}\u{fe6b}]\s*[^\s<>()[\]"',;:.]+\.[^\s<>()[\]"',;:]+|[^\s<>()[\]"',;:]*[@\u{ff20}\u{fe6b}][^\s<>()[\]"',;:]+)/gu;
/** Brackets and quotes that are empty once the address is removed. */
const EMPTY_PAIRS = /<\s*>|\(\s*\)|\[\s*\]|"\s*"|'\s*'/g;

/** Holds nothing that misleads, and nothing to normalise. */
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** Removes addresses from a display name, so that only the authenticated address is displayed. */
const withoutAddresses = (name: string): string => {
  if (!/[@\u{ff20}\u{fe6b}]/u.test(name)) return name;
  return name.replace(ADDRESS_WITHIN, ' ').replace(EMPTY_PAIRS, ' ').replace(/\s+/g, ' ').trim();
};

/**
 * Writes misleading characters as `[U+202E]`: the result is no valid address, so it cannot be taken for another one.
 */
const formatAddress = (address: Address): string =>
  PRINTABLE_ASCII.test(address)
    ? address
    : toNormalForm(address, 'NFC').replace(
        EACH_MISLEADING,
        (character) => `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
      );

const withoutMisleading = (name: string): string =>
  PRINTABLE_ASCII.test(name) ? name : toNormalForm(name, 'NFC').replace(MISLEADING_IN_NAMES, '');

/**
 * Formats an address for display: `Name <a@b>`, or `a@b` without a name. Quotes a name with special characters; {@link
 * parseNamedAddress} parses the result, save of a misleading address.
 */
export const formatNamed = ({ name, address }: NamedAddress): string => {
  const shown = withoutAddresses(withoutMisleading(name ?? '')).trim();
  const shownAddress = formatAddress(address);
  if (shown === '') return shownAddress;
  return `${SPECIALS.test(shown) ? `"${shown.replace(/["\\]/g, '\\$&')}"` : shown} <${shownAddress}>`;
};

/** The address alone, for display: a name may be an outsider's text. */
export const formatBare = ({ address }: Pick<NamedAddress, 'address'>): string => formatAddress(address);

/** Whether `domain` is `parent` or a subdomain of it. */
export const isWithin = (domain: string, parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`);
