/** Recipients of a reply (RFC 5322 section 3.6.3): each address once, and none of the mailbox's own. */

import { type Address, addressKey, type NamedAddress } from '../../../kernel/address.ts';
import type { StoredMessage } from '../../../store/mail/messages.ts';

type Addressed = Pick<StoredMessage, 'direction' | 'from' | 'replyTo' | 'to' | 'cc'>;

export interface ReplyRecipients {
  to: NamedAddress[];
  cc: NamedAddress[];
}

/** `ann+shop@…` reaches `ann@…`. */
const PLUS_TAG = /\+[^@]*@/;

/** Takes each address once, and none of the mailbox's own. */
const takeOnce = (own: readonly Address[]) => {
  const isOwn = (key: string): boolean => own.some((address) => address === key.replace(PLUS_TAG, '@'));
  const taken = new Set<string>();
  return (addresses: readonly NamedAddress[]): NamedAddress[] =>
    addresses.filter(({ address }) => {
      const key = addressKey(address);
      return !isOwn(key) && !taken.has(key) && taken.add(key);
    });
};

/** Reply-To, else From. A reply to a mail of the mailbox's own goes to that mail's recipients. */
const listAuthors = ({ direction, from, replyTo, to }: Addressed): readonly NamedAddress[] => {
  if (direction === 'out') return to;
  return replyTo.length > 0 ? replyTo : [from];
};

/** @param own the mailbox's addresses, as {@link addressKey} has them */
export const replyRecipients = (parent: Addressed, own: readonly Address[]): ReplyRecipients => ({
  to: takeOnce(own)(listAuthors(parent)),
  cc: [],
});

/** The same, with all others in Cc. */
export const replyAllRecipients = (parent: Addressed, own: readonly Address[]): ReplyRecipients => {
  const once = takeOnce(own);
  const to = once(listAuthors(parent));
  const cc = once(parent.direction === 'out' ? parent.cc : [...parent.to, ...parent.cc]);
  // Without the author (a mail to oneself), the others are the recipients.
  return to.length > 0 ? { to, cc } : { to: cc, cc: [] };
};
