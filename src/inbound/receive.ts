/**
 * Takes one accepted mail to disk. Resolves only after the commit; rejects with an SmtpError that is safe to show.
 * Mail from the wire and mail between agents of the box pass the same steps.
 */

import type { Events } from '../events/publish-events.ts';
import { type NamedAddress, parseAddress } from '../kernel/address.ts';
import type { Clock } from '../kernel/clock.ts';
import { SmtpError } from '../kernel/errors.ts';
import type { DeliveryId, NewId } from '../kernel/ids.ts';
import type { Authentication } from '../mail/auth/authenticate-message.ts';
import type { MailReport } from '../mail/dsn/mail-report.ts';
import { HEAD_LIMITS } from '../mail/header/message-header.ts';
import type { Store, Tx } from '../store/store.ts';
import type { Examined } from '../workers/tasks.ts';
import { excusedByForwarder } from './arc-override.ts';
import type { Arrival } from './arrival.ts';
import { gatherOpinions, type OpinionNeeds } from './content-results.ts';
import { isExemptFromPolicy, resolveReturnPaths } from './report-recipients.ts';
import { judgeSpam } from './spam-verdict.ts';
import { type Judged, type RoleMail, storeFor } from './store-message.ts';
import { type ExamineNeeds, examine } from './verify.ts';

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
    refuseUnread(mail);
    refuseLoops(mail, needs);
    const routed = resolveReturnPaths(mail, arrival);
    const from = authorOf(mail, routed);
    const judged = excusedByForwarder(mail.authentication, needs.trustedForwarders);
    if (!isExemptFromPolicy(mail, routed)) applyPolicy(judged);
    await store(needs, {
      arrival: routed,
      mail,
      from,
      isAligned: judged.aligned,
      verdict: judgeSpam(judged, opinions),
    });
  };

/** Fields that are not read are not judged, and another program might read them: a second From among them. */
const refuseUnread = ({ isCut }: Examined): void => {
  if (!isCut) return;
  const text = `The header has too many fields: ${HEAD_LIMITS.headerFields} are read`;
  throw new SmtpError({ code: 554, enhanced: '5.6.0', text });
};

const refuseLoops = ({ receivedCount }: Examined, { maxReceivedFields }: InboundNeeds): void => {
  if (receivedCount <= maxReceivedFields) return;
  throw new SmtpError({ code: 554, enhanced: '5.4.6', text: 'Too many hops: this mail is going in a circle' });
};

/**
 * The one author that RFC 5322 section 3.6.2 asks for and DMARC judges (RFC 9989 section 11.5). A report to return paths
 * alone may lack one: bounces come from programs that know no better. No address of its From is shown then.
 */
const authorOf = ({ author, report }: Examined, { destinations, envelope }: Arrival): NamedAddress => {
  if (author) return author;
  if (report && destinations.every(({ kind }) => kind === 'return-path')) {
    const sender = 'local' in envelope ? null : parseAddress(envelope.mailFrom);
    const address = sender ?? parseAddress('mailer-daemon@invalid');
    if (address) return { name: null, address };
  }
  throw new SmtpError({ code: 550, enhanced: '5.7.1', text: 'A mail needs one From address, no more and no less' });
};

/** RFC 9989 section 5.3. Where a check that decides could not be made for now, the mail is neither taken nor refused. */
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

const store = async (needs: InboundNeeds, judged: Judged): Promise<void> => {
  const { arrival } = judged;
  let isWanted = true;
  try {
    isWanted = await needs.store.write(async (tx) => {
      const stored = await storeFor(needs, tx, judged);
      await arrival.alongside?.(tx);
      return stored > 0;
    });
  } catch (cause) {
    if (cause instanceof SmtpError) throw cause;
    throw new SmtpError({ code: 452, enhanced: '4.3.1', text: 'Not stored, please try again later', cause });
  }
  if (!isWanted && !arrival.alongside && (needs.filterResponse === 'reject' || isViaReturnPath(arrival))) {
    throw new SmtpError({ code: 550, enhanced: '5.7.1', text: 'The recipient takes no mail from this sender' });
  }
};

const isViaReturnPath = ({ destinations }: Arrival): boolean =>
  destinations.some((each) => each.kind === 'mailbox' && each.viaReturnPath);
