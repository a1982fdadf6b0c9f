/** What an attempt's end means for the delivery. */

import { type BounceType, meaningOfReply, type Replies } from '../kernel/replies.ts';
import type { DeliveryReply } from '../net/smtp-client.ts';

/** How an attempt ended, whatever it was that said so: a host's reply, the DNS, a network fault, our own pipeline. */
export interface AttemptEnd {
  verdict: 'delivered' | 'retry' | BounceType;
  code: number | null;
  enhancedCode: string | null;
  response: string;
  remoteHost: string | null;
  tls: string | null;
  transcript: string | null;
}

const NO_SESSION = { code: null, enhancedCode: null, remoteHost: null, tls: null, transcript: null };

/** An end without any session: what is wrong was known before a host was asked. */
export const endedBefore = (
  verdict: 'retry' | 'permanent',
  response: string,
  enhancedCode: string | null = null,
): AttemptEnd => ({ ...NO_SESSION, verdict, response, enhancedCode });

/** No code at all is the network, and tried again. */
export const endOfSession = (reply: DeliveryReply, host: string, replies: Replies): AttemptEnd => {
  if (reply.kind === 'unreachable') {
    return { ...NO_SESSION, verdict: 'retry', response: reply.reason, remoteHost: host, transcript: reply.transcript };
  }
  const { code, enhanced: enhancedCode } = reply;
  const refused = () => meaningOfReply(replies, { code, enhancedCode, text: reply.response });
  return {
    verdict: reply.kind === 'accepted' ? 'delivered' : refused(),
    code,
    enhancedCode,
    response: reply.response,
    remoteHost: host,
    tls: reply.tls?.protocol ?? null,
    transcript: reply.transcript,
  };
};
