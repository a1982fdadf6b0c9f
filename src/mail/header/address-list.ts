/** Parses address lists of header fields (RFC 5322 section 3.4); groups are flattened. */

import addressparser from 'nodemailer/lib/addressparser';
import { isMisleading, type NamedAddress, parseReceivedAddress } from '../../kernel/address.ts';
import { hasSecondAddress } from './angle-addresses.ts';
import { decodeWords, oneLine } from './encoded-words.ts';

/** Longer lists are malformed. Exchange Online limits a message to 1 000 recipients as well. */
const MAX_ADDRESSES = 1000;
const MAX_LIST_CHARS = 128 * 1024;
const MAX_NAME = 256;

/**
 * Private-use characters that replace decoded text while the syntax is parsed, so that a decoded comma or bracket has
 * no effect.
 */
const OPEN = '\ue000';
const CLOSE = '\ue001';
const MARKS = /[\ue000\ue001]/g;
const MARKED = /\ue000(\d+)\ue001/g;

export interface AddressList {
  addresses: NamedAddress[];
  /** Whether the field holds an invalid address, two addresses in one entry, or more than the limits. */
  malformed: boolean;
  /** Whether an address has characters by which it reads as another. */
  misleading: boolean;
}

/**
 * Parses the value of a From, To, Cc or Reply-To field.
 * @param value unfolded, encoded words not yet decoded: RFC 2047 section 5 allows them in display names only
 */
export const readAddressList = (value: string): AddressList => {
  const texts: string[] = [];
  const marked = decodeWords(value.slice(0, MAX_LIST_CHARS).replace(MARKS, ''), (text) => {
    texts.push(text);
    return `${OPEN}${texts.length - 1}${CLOSE}`;
  });
  const readName = (name: string): string | null =>
    oneLine(
      name.replace(MARKED, (_, index: string) => texts[Number(index)] ?? ''),
      MAX_NAME,
    ) || null;

  const addresses: NamedAddress[] = [];
  let malformed = value.length > MAX_LIST_CHARS || hasSecondAddress(marked);
  for (const entry of addressparser(marked, { flatten: true })) {
    const address = entry.address.includes(OPEN) ? null : parseReceivedAddress(entry.address);
    if (address === null || addresses.length >= MAX_ADDRESSES) malformed = true;
    else addresses.push({ name: readName(entry.name), address });
  }
  return { addresses, malformed, misleading: addresses.some(({ address }) => isMisleading(address)) };
};
