/**
 * The inbound pipeline: verifies one mail and stores it. Resolves after the commit; rejects with an SmtpError whose
 * text may be sent to the client. Mail by SMTP and local mail pass the same steps.
 */

import { type Address, addressKey, type NamedAddress, parseAddress } from '../kernel/address.ts';
import { SmtpError } from '../kernel/errors.ts';
import type { Authentication } from '../mail/auth/authenticate-message.ts';
import { HEAD_LIMITS } from '../mail/header/message-header.ts';
import type { Store } from '../store/store.ts';
import type { VerifiedMessage } from '../workers/tasks.ts';
import type { Arrival } from './arrival.ts';
import { type ContentNeeds, fetchContentResults } from './content-results.ts';
import { isExemptFromPolicy, resolveReturnPaths } from './report-recipients.ts';
import { toSpamVerdict } from './spam-verdict.ts';
import { filterRecipients, type InboundMessage, type StoreNeeds, storeMessage } from './store-message.ts';
import { type VerifyNeeds, verify } from './verify.ts';

/**
 * ARC override (RFC 8617 section 5.2): where a trusted sealer made the last seal of a valid chain, the author's SPF and
 * DMARC failures, which forwarding causes, are ignored. The stored authentication results stay unchanged.
 * @param trusted sealers' domains, in lower case
 */
const applyArcOverride = (authentication: Authentication, trusted: ReadonlySet<string>): Authentication => {
  const { arc, arcSealer, dmarcPolicy } = authentication;
  if (arc !== 'pass' || arcSealer === null || !trusted.has(arcSealer)) return authentication;
  return { ...authentication, spf: 'none', dmarcPolicy: dmarcPolicy && 'none', aligned: true };
};

export interface InboundNeeds extends ContentNeeds, VerifyNeeds, StoreNeeds {
  store: Store;
  /** The reply to mail that the identity filter of every recipient dropped. */
  filterResponse: 'accept' | 'reject';
  /** Loop detection: the most Received fields that a mail may have (RFC 5321 section 6.3). */
  maxReceivedFields: number;
  /** The author of notices, sign-in links and claims. */
  ownersMailFrom: Address;
  /** Domains with ARC seals that, if valid, override SPF and DMARC failures. */
  trustedArcSealers: ReadonlySet<string>;
}

export type Receive = (arrival: Arrival) => Promise<void>;

export const createReceive =
  (needs: InboundNeeds): Receive =>
  async (arrival) => {
    const [mail, contentResults] = await Promise.all([verify(needs, arrival), fetchContentResults(needs, arrival)]);
    refuseCutHeader(mail);
    refuseLoops(mail, needs);
    const routed = resolveReturnPaths(mail, arrival);
    const from = requireAuthor(mail, routed);
    refuseOwnersMail(from, routed, needs);
    const authentication = applyArcOverride(mail.authentication, needs.trustedArcSealers);
    if (!isExemptFromPolicy(mail, routed)) applyPolicy(authentication);
    await store(needs, {
      arrival: routed,
      mail,
      from,
      isAligned: authentication.aligned,
      verdict: toSpamVerdict(authentication, contentResults),
    });
  };

/** Header fields beyond the limit are not verified, but another program could read them: a second From, for example. */
const refuseCutHeader = ({ isCut }: VerifiedMessage): void => {
  if (!isCut) return;
  const text = `The header has too many fields: ${HEAD_LIMITS.headerFields} are read`;
  throw new SmtpError({ code: 554, enhanced: '5.6.0', text });
};

/**
 * Mail of the instance to owners may hold a link that signs its reader in: no mailbox takes it, however it comes. A mail
 * that an owner has redirected keeps its From.
 */
const refuseOwnersMail = (
  { address }: NamedAddress,
  { recipients }: Arrival,
  { ownersMailFrom }: Pick<InboundNeeds, 'ownersMailFrom'>,
): void => {
  if (addressKey(address) !== ownersMailFrom || !recipients.some(({ kind }) => kind === 'mailbox')) return;
  const text = 'Mail of this service to owners is not delivered to its mailboxes';
  throw new SmtpError({ code: 550, enhanced: '5.7.1', text });
};

const refuseLoops = ({ receivedCount }: VerifiedMessage, { maxReceivedFields }: InboundNeeds): void => {
  if (receivedCount <= maxReceivedFields) return;
  throw new SmtpError({ code: 554, enhanced: '5.4.6', text: 'Too many hops: this mail is going in a circle' });
};

/**
 * The single author that RFC 5322 section 3.6.2 asks for and DMARC evaluates (RFC 9989 section 11.5). A report to
 * return paths alone may lack one, as some bounces do: the envelope sender takes its place.
 */
const requireAuthor = ({ author, report }: VerifiedMessage, { recipients, envelope }: Arrival): NamedAddress => {
  if (author) return author;
  if (report && recipients.every(({ kind }) => kind === 'return-path')) {
    const sender = envelope.kind === 'local' ? null : parseAddress(envelope.mailFrom);
    const address = sender ?? parseAddress('mailer-daemon@invalid');
    if (address) return { name: null, address };
  }
  throw new SmtpError({ code: 550, enhanced: '5.7.1', text: 'A mail needs one From address, no more and no less' });
};

/** DMARC p=reject (RFC 9989 section 5.3); a temporary error under such a policy defers the mail with 451. */
const applyPolicy = ({ dmarc, dmarcPolicy, fromDomain }: Authentication): void => {
  if (dmarcPolicy !== 'reject') return;
  if (dmarc === 'fail') {
    const text = `The DMARC policy of ${fromDomain} has this mail refused`;
    throw new SmtpError({ code: 550, enhanced: '5.7.26', text });
  }
  if (dmarc === 'temperror') {
    const text = `The DMARC policy of ${fromDomain} could not be checked, please try again later`;
    throw new SmtpError({ code: 451, enhanced: '4.7.26', text });
  }
};

const store = async (needs: InboundNeeds, message: InboundMessage): Promise<void> => {
  const { arrival } = message;
  let isStored = true;
  try {
    const filtered = await filterRecipients(needs.store.read, message);
    isStored = await needs.store.write(async (tx) => {
      const stored = await storeMessage(needs, tx, filtered);
      await arrival.inTransaction?.(tx);
      return stored > 0;
    });
  } catch (cause) {
    if (cause instanceof SmtpError) throw cause;
    throw new SmtpError({ code: 452, enhanced: '4.3.1', text: 'Not stored, please try again later', cause });
  }
  if (!isStored && !arrival.inTransaction && (needs.filterResponse === 'reject' || isViaReturnPath(arrival))) {
    throw new SmtpError({ code: 550, enhanced: '5.7.1', text: 'The recipient takes no mail from this sender' });
  }
};

const isViaReturnPath = ({ recipients }: Arrival): boolean =>
  recipients.some((each) => each.kind === 'mailbox' && each.viaReturnPath);
