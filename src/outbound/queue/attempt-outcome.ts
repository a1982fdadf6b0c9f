/** What an attempt's end means for the delivery. */

import {
  type BounceRules,
  type BounceType,
  classifyReply,
  failureOf,
  type ReplyClass,
} from '../../config/bounce-rules.ts';
import type { DeliveryReply } from '../../net/smtp/smtp-client.ts';

/** How an attempt ended, whatever it was that said so: a host's reply, the DNS, a network fault, our own pipeline. */
export interface AttemptOutcome {
  verdict: 'delivered' | 'retry' | BounceType;
  /** Whether a failure says something of the address, and not of this mail or of this instance alone. */
  suppresses: boolean;
  code: number | null;
  enhancedCode: string | null;
  response: string;
  remoteHost: string | null;
  tls: string | null;
  transcript: string | null;
}

const NO_SESSION = { suppresses: true, code: null, enhancedCode: null, remoteHost: null, tls: null, transcript: null };

/** An end without any session: what is wrong was known before a host was asked. */
export const outcomeWithoutSession = (
  verdict: 'retry' | 'permanent' | 'blocked',
  response: string,
  enhancedCode: string | null = null,
): AttemptOutcome => ({ ...NO_SESSION, verdict, response, enhancedCode });

/** The sender deleted it in the meantime. */
export const MESSAGE_GONE: AttemptOutcome = {
  ...outcomeWithoutSession('permanent', 'The message is no longer stored'),
  suppresses: false,
};

const verdictOf = (meaning: 'delivered' | ReplyClass): Pick<AttemptOutcome, 'verdict' | 'suppresses'> => {
  if (meaning === 'delivered' || meaning === 'retry') return { verdict: meaning, suppresses: true };
  const { type: verdict, suppresses } = failureOf(meaning);
  return { verdict, suppresses };
};

/** No code at all is the network, and tried again. */
export const outcomeOfSession = (reply: DeliveryReply, host: string, replies: BounceRules): AttemptOutcome => {
  if (reply.kind === 'unreachable') {
    return { ...NO_SESSION, verdict: 'retry', response: reply.reason, remoteHost: host, transcript: reply.transcript };
  }
  const { code, enhanced: enhancedCode } = reply;
  const meaning =
    reply.kind === 'accepted' ? 'delivered' : classifyReply(replies, { code, enhancedCode, text: reply.response });
  return {
    ...verdictOf(meaning),
    code,
    enhancedCode,
    response: reply.response,
    remoteHost: host,
    tls: reply.tls?.protocol ?? null,
    transcript: reply.transcript,
  };
};
