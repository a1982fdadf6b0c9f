/** One attempt at one address of one host, over a session that is kept or a new one. */

import type { BounceRules } from '../../config/bounce-rules.ts';
import { domainOf } from '../../kernel/address.ts';
import { makeReturnPath } from '../../mail/dsn/return-path.ts';
import {
  type DeliveryReply,
  type MailToDeliver,
  openSession,
  SmtpSession,
  type TlsFailure,
} from '../../net/smtp/smtp-client.ts';
import type { StoredMessage } from '../../store/mail/messages.ts';
import type { Delivery } from '../../store/sending/deliveries.ts';
import type { Signed } from '../../workers/tasks.ts';
import { type AttemptOutcome, outcomeOfSession } from './attempt-outcome.ts';
import { type DestinationLimits, readSignal } from './destination-limits.ts';
import type { Destination } from './find-route.ts';
import type { SessionCache } from './session-cache.ts';

/** Of a session that does without STARTTLS, for it failed a short while ago. */
const KNOWN_TO_FAIL: TlsFailure = { type: 'validation-failure', reason: 'TLS failed with this host within the hour' };

export interface AttemptNeeds {
  replies: BounceRules;
  returnPathKey: Buffer;
  /** Our name in EHLO. */
  hostname: string;
  /** The address to connect from; undefined: the system's choice. */
  sourceAddress: (hop: Destination) => string | undefined;
  limits: DestinationLimits;
  sessions: SessionCache;
}

export interface Attempted {
  readonly end: AttemptOutcome;
  /** Whether the next host may be asked: this one was not reached, and has nothing of the mail. */
  readonly mayFailOver: boolean;
}

/** Each recipient has a transaction and a return path of its own, so that what comes back says whom it is about. */
export const mailOf = (
  { returnPathKey }: Pick<AttemptNeeds, 'returnPathKey'>,
  delivery: Delivery,
  message: StoredMessage,
  { raw, asciiRaw }: Signed,
): MailToDeliver => ({
  mailFrom: makeReturnPath({ key: returnPathKey, domain: domainOf(message.from.address), deliveryId: delivery.id }),
  recipient: delivery.address,
  raw,
  asciiRaw,
});

/** Asks one host, and remembers how it answered. */
export const attempt = async (needs: AttemptNeeds, hop: Destination, mail: MailToDeliver): Promise<Attempted> => {
  const { limits, sessions, replies } = needs;
  const { reply, hasSession } = await overSession(needs, hop, mail);
  if (reply.kind !== 'unreachable') {
    const sign = readSignal(reply.code, reply.enhanced);
    limits.note(hop.name, sign);
    if (sign === 'closing' || sign === 'too-much') void sessions.dropAllOf(hop.name);
  }
  const end = outcomeOfSession(reply, hop.name, replies);
  if (!hasSession) return { end: withoutSession(hop, end), mayFailOver: true };
  // Once the bytes have left, the next host might deliver them a second time.
  return { end, mayFailOver: reply.kind === 'unreachable' && reply.phase !== 'final' };
};

/** A host that takes no session says nothing of the recipient. */
const withoutSession = ({ isSmarthost }: Destination, end: AttemptOutcome): AttemptOutcome => {
  // It is our own login, or our own host: the mail waits until that is mended.
  if (isSmarthost) return { ...end, verdict: 'retry' };
  return end.verdict === 'permanent' ? { ...end, verdict: 'blocked' } : end;
};

const overSession = async (
  needs: AttemptNeeds,
  hop: Destination,
  mail: MailToDeliver,
): Promise<{ reply: DeliveryReply; hasSession: boolean }> => {
  const { sessions } = needs;
  const localAddress = needs.sourceAddress(hop);
  const key = [hop.name, hop.port, hop.tls.key, hop.login?.user, localAddress].join(' ');
  const kept = sessions.take(key);
  if (kept) {
    const reply = await kept.deliver(mail);
    sessions.keep(key, kept);
    // A host may close what it finds idle; that says nothing of the mail.
    const wasClosed = reply.kind === 'unreachable' && reply.phase !== 'data' && reply.phase !== 'final';
    if (!wasClosed) return { reply, hasSession: true };
  }
  await sessions.dropAllOf(hop.name);
  const opened = await open(needs, hop, localAddress);
  if (!(opened instanceof SmtpSession)) return { reply: opened, hasSession: false };
  const reply = await opened.deliver(mail);
  sessions.keep(key, opened);
  return { reply, hasSession: true };
};

const open = async (
  { limits, hostname }: AttemptNeeds,
  hop: Destination,
  localAddress: string | undefined,
): Promise<SmtpSession | DeliveryReply> => {
  const { name, address, port, tls, login } = hop;
  const isHopeless = tls.demand.kind === 'opportunistic' && limits.hasBrokenTls(name);
  const opened = await openSession({
    host: { name, address },
    port,
    localName: hostname,
    tls: isHopeless ? { kind: 'none' } : tls.demand,
    login,
    localAddress,
  });
  if (opened instanceof SmtpSession) {
    const fellBack = tls.demand.kind === 'opportunistic' && opened.target.tls.kind === 'none' && !isHopeless;
    if (fellBack) limits.recordTlsFailure(name);
    tls.note({
      failure: isHopeless ? KNOWN_TO_FAIL : opened.tlsFailure,
      sendingIp: opened.localAddress,
      receivingIp: address,
    });
  } else if (opened.kind === 'unreachable' && opened.tlsFailure) {
    tls.note({ failure: opened.tlsFailure, sendingIp: opened.localAddress, receivingIp: address });
  }
  return opened;
};
