/** Matches a sender by a part of its address or name; lists and waits use the same rule. */

import { addressKey, domainOf, localPartOf, parseDomain, parseNamedAddress } from '../address.ts';

/** `from` of lists and waits. */
export const SENDER_WANTED = 'An address, `local@`, `@domain`, or text of the name or address';

/** Ignores case. @param wanted null: any text */
export const includesText = (text: string, wanted: string | null): boolean =>
  wanted === null || text.toLowerCase().includes(wanted.toLowerCase());

/**
 * Compares whole addresses, local parts and domains: a substring would match look-alike addresses as well. Text without
 * an @ is searched in `Name <a@b>`.
 * @param from as `Name <a@b>`
 * @param wanted null: any sender
 */
export const isSender = (from: string, wanted: string | null): boolean => {
  if (!wanted?.includes('@')) return includesText(from, wanted);
  const sender = parseNamedAddress(from)?.address;
  if (!sender) return false;
  const key = addressKey(sender);
  // Models write `*@domain` too, which matches no address.
  const text = wanted
    .trim()
    .toLowerCase()
    .replace(/^\*(?=@)/, '');
  if (text.startsWith('@')) return domainOf(key) === parseDomain(text.slice(1), 1);
  if (text.endsWith('@')) return `${localPartOf(key)}@` === text;
  const address = parseNamedAddress(wanted)?.address;
  return address !== undefined && addressKey(address) === key;
};
