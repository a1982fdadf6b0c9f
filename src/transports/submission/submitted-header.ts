/** What the header of a submitted mail says about who sends it, to whom, and what it answers. */

import type { NamedAddress } from '../../kernel/address.ts';
import { addressKey } from '../../kernel/address.ts';
import { readAddressList } from '../../mail/address-list.ts';
import { headerSection, readFields } from '../../mail/header-section.ts';
import { readReferences } from '../../mail/message-ids.ts';
import { PARSE_LIMITS } from '../../mail/parse.ts';

export interface SubmittedHeader {
  /** Null where there is not exactly one From field with one address: nobody can then be said to send it. */
  readonly from: NamedAddress | null;
  readonly to: NamedAddress[];
  readonly cc: NamedAddress[];
  readonly inReplyTo: string | null;
}

export const readSubmittedHeader = (raw: Buffer): SubmittedHeader => {
  const { fields } = readFields(headerSection(raw), PARSE_LIMITS);
  const valuesOf = (name: string) => fields.filter(({ key }) => key === name).map(({ value }) => value);
  const listOf = (name: string) => valuesOf(name).map(readAddressList);
  const [author, ...more] = listOf('from');
  const isOne = author && more.length === 0 && !author.malformed && author.addresses.length === 1;
  return {
    from: (isOne && author.addresses[0]) || null,
    to: listOf('to').flatMap(({ addresses }) => addresses),
    cc: listOf('cc').flatMap(({ addresses }) => addresses),
    inReplyTo: readReferences(valuesOf('in-reply-to')[0] ?? '')[0] ?? null,
  };
};

/** The envelope decides who gets it; the header, under which field each stands. Who stands in none is a Bcc. */
export const sortRecipients = (
  { to, cc }: Pick<SubmittedHeader, 'to' | 'cc'>,
  envelope: readonly NamedAddress[],
): Record<'to' | 'cc' | 'bcc', NamedAddress[]> => {
  const left = new Map(envelope.map((recipient) => [addressKey(recipient.address), recipient]));
  const takeNamed = (named: NamedAddress[]) => named.filter(({ address }) => left.delete(addressKey(address)));
  return { to: takeNamed(to), cc: takeNamed(cc), bcc: [...left.values()] };
};
