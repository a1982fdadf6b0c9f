/** Parses TLSRPT records (RFC 8460 section 3). Pure. */

import { type Address, parseAddress } from '../../kernel/address.ts';

export interface TlsrptRecord {
  readonly addresses: Address[];
  /** `https:` only. */
  readonly urls: string[];
}

const RECORD = /^v=TLSRPTv1[ \t]*;/;
/** The most `mailto:` and `https:` URIs of a record: bounds the mail that one record can cause. */
const MAX_URIS = 4;
const MAX_URL = 2_000;

const readMailto = (uri: string): Address | null => {
  const [path = ''] = uri.slice('mailto:'.length).split('?');
  try {
    const address = parseAddress(decodeURIComponent(path));
    return address && /^[\x21-\x7e]+$/.test(address) ? address : null;
  } catch {
    return null;
  }
};

const readUrl = (uri: string): string | null => {
  const url = URL.parse(uri);
  return url?.protocol === 'https:' && url.href.length <= MAX_URL ? url.href : null;
};

/**
 * @param records the TXT records of `_smtp._tls.<domain>`, the strings of each joined
 * @returns null where the domain requests no reports: without exactly one record, or without a supported URI
 */
export const readTlsrptRecord = (records: readonly string[]): TlsrptRecord | null => {
  const [record, ...others] = records.filter((text) => RECORD.test(text));
  if (record === undefined || others.length > 0) return null;
  const rua = record
    .split(';')
    .map((field) => /^[ \t]*rua=(.*)$/.exec(field)?.[1])
    .find((value) => value !== undefined);
  const uris = (rua ?? '').split(',').map((uri) => uri.trim());
  const addresses = new Set<Address>();
  const urls = new Set<string>();
  for (const uri of uris.slice(0, MAX_URIS)) {
    const isMail = /^mailto:/i.test(uri);
    const [address, url] = isMail ? [readMailto(uri), null] : [null, readUrl(uri)];
    if (address) addresses.add(address);
    if (url) urls.add(url);
  }
  return addresses.size + urls.size > 0 ? { addresses: [...addresses], urls: [...urls] } : null;
};
