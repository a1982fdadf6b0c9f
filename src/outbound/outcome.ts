/** What an attempt's end means for the delivery. */

import type { DeliveryReply } from '../net/smtp-client.ts';

export type BounceType = 'permanent' | 'blocked' | 'expired';

/** How an attempt ended, whatever it was that said so: a host's reply, the DNS, a network fault, our own pipeline. */
export interface AttemptEnd {
  verdict: 'delivered' | 'retry' | 'permanent' | 'blocked';
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

/** RFC 3463: class 5 subject 7 is policy, of ours or theirs, and not the mailbox's absence. */
const verdictOf = (code: number, enhanced: string | null): AttemptEnd['verdict'] => {
  if (code >= 500) return enhanced?.startsWith('5.7.') ? 'blocked' : 'permanent';
  return 'retry';
};

export const endOfSession = (reply: DeliveryReply, host: string): AttemptEnd => {
  if (reply.kind === 'unreachable') {
    return { ...NO_SESSION, verdict: 'retry', response: reply.reason, remoteHost: host, transcript: reply.transcript };
  }
  return {
    verdict: reply.kind === 'accepted' ? 'delivered' : verdictOf(reply.code, reply.enhanced),
    code: reply.code,
    enhancedCode: reply.enhanced,
    response: reply.response,
    remoteHost: host,
    tls: reply.tls?.protocol ?? null,
    transcript: reply.transcript,
  };
};
