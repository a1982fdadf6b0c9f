/**
 * Takes one accepted mail to disk. Resolves only after the commit; rejects with an SmtpError that is safe to show.
 * Mail from the wire and mail between agents of the box pass the same steps.
 */

import type { Events } from '../events/events.ts';
import { type NamedAddress, parseAddress } from '../kernel/address.ts';
import type { Clock } from '../kernel/clock.ts';
import { SmtpError } from '../kernel/errors.ts';
import type { DeliveryId, NewId } from '../kernel/ids.ts';
import type { Authentication } from '../mail/authenticate.ts';
import type { MailReport } from '../mail/reported.ts';
import type { Store, Tx } from '../store/store.ts';
import type { Examined } from '../workers/tasks.ts';
import { type Arrival, isForUs } from './arrival.ts';
import { type ExamineNeeds, examine } from './examine.ts';
import { excusedByForwarder } from './forwarders.ts';
import { gatherOpinions, type OpinionNeeds } from './opinions.ts';
import { judgeSpam, type SpamVerdict } from './spam-verdict.ts';
import { type RoleMail, storeFor } from './store-for.ts';

export interface InboundNeeds extends OpinionNeeds, ExamineNeeds {
  store: Store;
  events: Events;
  clock: Clock;
  newId: NewId;
  /** What a client hears of mail that every recipient's identity filter dropped. */
  filterResponse: 'accept' | 'reject';
  /** A mail with more has looped (RFC 5321 section 6.3). */
  maxReceivedFields: number;
  onRoleMail: (tx: Tx, mail: RoleMail) => Promise<void>;
  onReport: (tx: Tx, deliveryId: DeliveryId, report: MailReport) => Promise<void>;
  /** Domains whose ARC seal excuses what their forwarding broke. */
  trustedForwarders: ReadonlySet<string>;
}

export type Receive = (arrival: Arrival) => Promise<void>;

export const createReceive =
  (needs: InboundNeeds): Receive =>
  async (arrival) => {
    const [mail, opinions] = await Promise.all([examine(needs, arrival), gatherOpinions(needs, arrival)]);
    refuseLoops(mail, needs);
    const from = authorOf(mail, arrival);
    const judged = excusedByForwarder(mail.authentication, needs.trustedForwarders);
    refuseByPolicy(judged, arrival);
    await store(needs, arrival, mail, from, judgeSpam(judged, opinions));
  };

const refuseLoops = ({ receivedCount }: Examined, { maxReceivedFields }: InboundNeeds): void => {
  if (receivedCount <= maxReceivedFields) return;
  throw new SmtpError({ code: 554, enhanced: '5.4.6', text: 'Too many hops: this mail is going in a circle' });
};

/**
 * The one author that RFC 5322 section 3.6.2 asks for and DMARC judges (RFC 9989 section 11.5). A mail to return paths
 * alone may lack one: bounces come from programs that know no better.
 */
const authorOf = ({ from, fromFields }: Examined, { destinations, envelope }: Arrival): NamedAddress => {
  const [author] = from;
  if (author && from.length === 1 && fromFields === 1) return author;
  if (destinations.every(({ kind }) => kind === 'return-path')) {
    const sender = 'local' in envelope ? null : parseAddress(envelope.mailFrom);
    const address = author?.address ?? sender ?? parseAddress('mailer-daemon@invalid');
    if (address) return { name: author?.name ?? null, address };
  }
  throw new SmtpError({ code: 550, enhanced: '5.7.1', text: 'A mail needs one From address, no more and no less' });
};

const refuseByPolicy = (authentication: Authentication, arrival: Arrival): void => {
  const refused = authentication.dmarc === 'fail' && authentication.dmarcPolicy === 'reject';
  if (!refused || isForUs(arrival)) return;
  const text = `The DMARC policy of ${authentication.fromDomain} has this mail refused`;
  throw new SmtpError({ code: 550, enhanced: '5.7.26', text });
};

const store = async (
  needs: InboundNeeds,
  arrival: Arrival,
  mail: Examined,
  from: NamedAddress,
  verdict: SpamVerdict,
): Promise<void> => {
  let isWanted = true;
  try {
    isWanted = await needs.store.write(async (tx) => {
      const stored = await storeFor(needs, tx, { arrival, mail, from, verdict });
      await arrival.alongside?.(tx);
      return stored > 0;
    });
  } catch (cause) {
    if (cause instanceof SmtpError) throw cause;
    throw new SmtpError({ code: 452, enhanced: '4.3.1', text: 'Not stored, please try again later', cause });
  }
  if (!isWanted && needs.filterResponse === 'reject' && !arrival.alongside) {
    throw new SmtpError({ code: 550, enhanced: '5.7.1', text: 'The recipient takes no mail from this sender' });
  }
};
