/** One attempt at one destination, over a cached session or a new one. */

import type { KeyObject } from 'node:crypto';
import type { BounceRules } from '../../config/bounce-rules.ts';
import type { DomainName } from '../../kernel/address.ts';
import { makeReturnPath } from '../../mail/dsn/return-path.ts';
import {
  type DeliveryReply,
  type MailToDeliver,
  type OpenedSession,
  openSession,
  type TlsFailure,
} from '../../net/smtp/smtp-client.ts';
import type { Delivery } from '../../store/sending/deliveries.ts';
import type { Signed } from '../../workers/tasks.ts';
import { type AttemptOutcome, outcomeOfSession } from './attempt-outcome.ts';
import { type DestinationLimits, readSignal } from './destination-limits.ts';
import type { Destination } from './find-route.ts';
import type { SessionCache } from './session-cache.ts';
import { ofSmarthost, toSmarthostFault } from './smarthost.ts';

/** Reported for a session without STARTTLS, because TLS with the host failed within the last hour. */
const TLS_FAILED_BEFORE: TlsFailure = {
  type: 'validation-failure',
  reason: 'TLS failed with this host within the hour',
};

export interface AttemptNeeds {
  bounceRules: BounceRules;
  returnPathKey: KeyObject;
  /** Host name for EHLO. */
  hostname: string;
  /** The local address to connect from; undefined: the system's choice. */
  sourceAddress: (destination: Destination) => string | undefined;
  limits: DestinationLimits;
  sessions: SessionCache;
}

export interface AttemptResult {
  readonly outcome: AttemptOutcome;
  /** Whether the route's next destination may be tried: this one cannot have accepted the mail. */
  readonly mayFailOver: boolean;
}

/** One transaction and one return path (VERP) for each recipient, so that a bounce identifies its delivery. */
export const toTransaction = (
  { returnPathKey }: Pick<AttemptNeeds, 'returnPathKey'>,
  delivery: Delivery,
  returnPathDomain: DomainName,
  { raw, asciiRaw }: Signed,
): MailToDeliver => ({
  mailFrom: makeReturnPath({ key: returnPathKey, domain: returnPathDomain, deliveryId: delivery.id }),
  recipient: delivery.address,
  raw,
  asciiRaw,
});

/** Tries one destination and records its reply in the destination limits. */
export const attempt = async (
  needs: AttemptNeeds,
  destination: Destination,
  mail: MailToDeliver,
): Promise<AttemptResult> => {
  const { limits, sessions, bounceRules } = needs;
  const { reply, hasSession } = await overSession(needs, destination, mail);
  if (reply.kind !== 'unreachable') {
    const signal = readSignal(reply.code, reply.enhanced);
    limits.record(destination.name, signal);
    if (signal === 'closing' || signal === 'throttled') void sessions.dropAllOf(destination.name);
  }
  const outcome = outcomeOfSession(reply, destination.name, bounceRules);
  if (!hasSession || asksForLogin(destination, reply)) {
    return { outcome: withoutSession(destination, reply, outcome), mayFailOver: true };
  }
  return {
    outcome: destination.isSmarthost ? ofSmarthost(outcome) : outcome,
    // After the final dot the host may have taken the mail: the next destination could deliver a second copy.
    mayFailOver: reply.kind === 'unreachable' && reply.phase !== 'final',
  };
};

/** RFC 4954 section 6: a smarthost without a login in the config refuses MAIL, as it would refuse a wrong one. */
const asksForLogin = ({ isSmarthost }: Destination, reply: DeliveryReply): boolean =>
  isSmarthost && reply.kind === 'refused' && reply.code === 530;

/** A refusal before MAIL FROM says nothing of the recipient. */
const withoutSession = (
  { isSmarthost, name }: Destination,
  reply: DeliveryReply,
  outcome: AttemptOutcome,
): AttemptOutcome => {
  // A smarthost's refusal is a fault of configuration or login: mail stays queued until it is repaired.
  if (isSmarthost) {
    const { reason, text } = toSmarthostFault(name, reply);
    return { ...outcome, verdict: 'retry', suppresses: false, reason, response: text };
  }
  return outcome.verdict === 'permanent' ? { ...outcome, verdict: 'blocked' } : outcome;
};

const overSession = async (
  needs: AttemptNeeds,
  destination: Destination,
  mail: MailToDeliver,
): Promise<{ reply: DeliveryReply; hasSession: boolean }> => {
  const { sessions } = needs;
  const localAddress = needs.sourceAddress(destination);
  const { name, port, tls } = destination;
  const key = [name, port, tls.key, localAddress].join(' ');
  const cached = sessions.take(key);
  if (cached) {
    const reply = await cached.deliver(mail);
    sessions.put(key, cached);
    // The host closed an idle session, before any byte of the mail: a new one is opened.
    const wasClosed = reply.kind === 'unreachable' && reply.phase !== 'data' && reply.phase !== 'final';
    if (!wasClosed) return { reply, hasSession: true };
  }
  await sessions.dropAllOf(name);
  const opened = await open(needs, destination, localAddress);
  if (opened.kind === 'failed') return { reply: opened.reply, hasSession: false };
  const reply = await opened.session.deliver(mail);
  sessions.put(key, opened.session);
  return { reply, hasSession: true };
};

const open = async (
  { limits, hostname }: AttemptNeeds,
  { name, address, port, tls }: Destination,
  localAddress: string | undefined,
): Promise<OpenedSession> => {
  const isOpportunistic = tls.level.kind === 'opportunistic';
  const skipsTls = isOpportunistic && limits.hasBrokenTls(name);
  const opened = await openSession({
    host: { name, address },
    port,
    localName: hostname,
    tls: skipsTls ? { kind: 'none' } : tls.level,
    localAddress,
  });
  if (opened.kind === 'open') {
    const { session } = opened;
    const fellBack = isOpportunistic && session.destination.tls.kind === 'none' && !skipsTls;
    if (fellBack) limits.recordTlsFailure(name);
    const failure = skipsTls ? TLS_FAILED_BEFORE : session.tlsFailure;
    tls.note({ failure, sendingIp: session.localAddress, receivingIp: address });
    return opened;
  }
  const { reply } = opened;
  if (reply.kind === 'unreachable' && reply.tlsFailure) {
    tls.note({ failure: reply.tlsFailure, sendingIp: reply.localAddress, receivingIp: address });
  }
  return opened;
};
