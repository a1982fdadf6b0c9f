/** The outcome of an attempt: the SMTP reply or local fault, and what the bounce rules make of it. */

import {
  type BounceRules,
  type BounceType,
  classifyReply,
  type ReplyClass,
  toFailure,
} from '../../config/bounce-rules.ts';
import type { Reason } from '../../mail-log/reasons.ts';
import type { DeliveryReply } from '../../net/smtp/smtp-client.ts';

/** Whatever ended the attempt: a host's reply, DNS, a network fault, a fault of this instance. */
export interface AttemptOutcome {
  verdict: 'delivered' | 'retry' | BounceType;
  /** Whether a failure concerns the address, not this mail or this instance alone: only then it is suppressed. */
  suppresses: boolean;
  /** As in {@link Failure}. */
  mayPass?: boolean;
  code: number | null;
  enhancedCode: string | null;
  response: string;
  remoteHost: string | null;
  tls: string | null;
  transcript: string | null;
  /** The mail log's reason, where it is not that of the reply. */
  reason?: Reason;
}

const NO_SESSION = { suppresses: true, code: null, enhancedCode: null, remoteHost: null, tls: null, transcript: null };

/** Where no host was contacted. */
export const outcomeWithoutSession = (
  verdict: 'retry' | 'permanent' | 'blocked',
  response: string,
  enhancedCode: string | null = null,
): AttemptOutcome => ({ ...NO_SESSION, verdict, response, enhancedCode });

/** A fault of this instance or of its smarthost: it says nothing of the address, however long it lasts. */
export const ownFault = (response: string, verdict: 'retry' | 'permanent' = 'retry'): AttemptOutcome => ({
  ...outcomeWithoutSession(verdict, response),
  suppresses: false,
});

/** The message was deleted while its delivery was queued. */
export const MESSAGE_GONE = ownFault('The message is no longer stored', 'permanent');

/** Its envelope or bytes have changed since a person approved them. */
export const NOT_AS_APPROVED = ownFault(
  'The message is not what was approved: its recipients or its bytes have changed',
  'permanent',
);

const toVerdict = (reply: 'delivered' | ReplyClass): Pick<AttemptOutcome, 'verdict' | 'suppresses'> => {
  if (reply === 'delivered' || reply === 'retry') return { verdict: reply, suppresses: true };
  const { type: verdict, suppresses } = toFailure(reply);
  return { verdict, suppresses };
};

/** A session without a final reply code is a network fault, which is retried. */
export const outcomeOfSession = (reply: DeliveryReply, host: string, rules: BounceRules): AttemptOutcome => {
  if (reply.kind === 'unreachable') {
    return { ...NO_SESSION, verdict: 'retry', response: reply.reason, remoteHost: host, transcript: reply.transcript };
  }
  const { code, enhanced: enhancedCode, response: text, isOfRecipient = false } = reply;
  const replyClass =
    reply.kind === 'accepted' ? 'delivered' : classifyReply(rules, { code, enhancedCode, text, isOfRecipient });
  return {
    ...toVerdict(replyClass),
    code,
    enhancedCode,
    response: text,
    remoteHost: host,
    tls: reply.tls?.protocol ?? null,
    transcript: reply.transcript,
  };
};
