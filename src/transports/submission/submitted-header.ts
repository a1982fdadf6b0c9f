/** Reads sender, recipients and parent from the header of a submitted message. */

import { type Address, addressKey, type NamedAddress } from '../../kernel/address.ts';
import { SmtpError } from '../../kernel/errors.ts';
import { readAddressList } from '../../mail/header/address-list.ts';
import { type HeaderField, headerSection, readFields } from '../../mail/header/header-section.ts';
import { HEAD_LIMITS, type MailHead, soleAuthor } from '../../mail/header/message-header.ts';
import { readReferences } from '../../mail/header/message-ids.ts';

/** Fields allowed once (RFC 5322 section 3.6): of two, a reviewer might see one and a recipient the other. */
const ONCE = ['from', 'sender', 'reply-to', 'subject', 'date', 'message-id', 'in-reply-to', 'references'];
/** Fields that name a sender or resender. Like From, they must name the agent; they may be absent. */
const SENDERS = ['sender', 'resent-from', 'resent-sender'];

/**
 * Reads the header of a message that `agent` submits.
 * @throws SmtpError where the header exceeds HEAD_LIMITS, or does not name the agent as its sender
 */
export const readSubmittedHeader = (raw: Buffer, agent: Address): Pick<MailHead, 'to' | 'cc' | 'inReplyTo'> => {
  const { fields, isCut } = readFields(headerSection(raw), HEAD_LIMITS);
  if (isCut) {
    const text = `The header has too many fields: ${HEAD_LIMITS.headerFields} are read`;
    throw new SmtpError({ code: 554, enhanced: '5.6.0', text });
  }
  checkSender(fields, agent);
  const readValues = (name: string) => fields.filter(({ key }) => key === name).map(({ value }) => value);
  const twice = ONCE.find((name) => readValues(name).length > 1);
  if (twice) throw new SmtpError({ code: 550, enhanced: '5.6.0', text: `A mail has one ${twice} field, and no more` });
  const readList = (name: string) => readValues(name).flatMap((value) => readAddressList(value).addresses);
  if (readValues('reply-to').some((value) => !isList(value))) {
    throw new SmtpError({ code: 550, enhanced: '5.6.0', text: 'Reply-To has to be a list of addresses' });
  }
  return {
    to: readList('to'),
    cc: readList('cc'),
    inReplyTo: readReferences(readValues('in-reply-to')[0] ?? '')[0] ?? null,
  };
};

const isList = (value: string): boolean => {
  const { addresses, malformed } = readAddressList(value);
  return addresses.length > 0 && !malformed;
};

const checkSender = (fields: readonly HeaderField[], agent: Address): void => {
  const isAgent = ({ address }: NamedAddress) => addressKey(address) === addressKey(agent);
  const author = soleAuthor(fields);
  if (!author || !isAgent(author)) {
    const text = `From has to be <${agent}>, once, and no other`;
    throw new SmtpError({ code: 550, enhanced: '5.7.1', text });
  }
  const other = fields.find(
    ({ key, value }) => SENDERS.includes(key) && !(isList(value) && readAddressList(value).addresses.every(isAgent)),
  );
  if (other) {
    throw new SmtpError({ code: 550, enhanced: '5.7.1', text: `${other.name} has to be <${agent}>, or left out` });
  }
};

/** Sorts the envelope's recipients by the header field that names each; those in no field are Bcc. */
export const sortRecipients = (
  { to, cc }: Pick<MailHead, 'to' | 'cc'>,
  envelope: readonly NamedAddress[],
): Record<'to' | 'cc' | 'bcc', NamedAddress[]> => {
  const left = new Map(envelope.map((recipient) => [addressKey(recipient.address), recipient]));
  const takeNamed = (named: NamedAddress[]) => named.filter(({ address }) => left.delete(addressKey(address)));
  return { to: takeNamed(to), cc: takeNamed(cc), bcc: [...left.values()] };
};
