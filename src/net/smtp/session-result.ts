/** Results of SMTP sessions and transactions. */

import { errorText } from '../tls/error-text.ts';
import type { TlsFailure, TlsState } from './delivery-request.ts';
import type { SmtpReply } from './smtp-reply.ts';

export type Phase = 'connect' | 'greeting' | 'ehlo' | 'starttls' | 'auth' | 'mail' | 'rcpt' | 'data' | 'final';

export interface Answered extends SmtpReply {
  /** `refused`: the host's final reply is 4yz (transient) or 5yz (permanent). */
  readonly kind: 'accepted' | 'refused';
  /** null: the session has no TLS. */
  readonly tls: TlsState | null;
  readonly transcript: string;
}

/** A network failure, a protocol error of the host, or a failure of required TLS. */
export interface Unreachable {
  readonly kind: 'unreachable';
  readonly reason: string;
  /** With `final` the host may have accepted the message: it received all of it, and its reply did not arrive. */
  readonly phase: Phase;
  /** Set where TLS failed. */
  readonly tlsFailure: TlsFailure | null;
  /** The local address of the connection; null where there was none. */
  readonly localAddress: string | null;
  readonly transcript: string;
}

export type DeliveryReply = Answered | Unreachable;

/** A step that failed without a reply. */
export class SessionError extends Error {
  readonly phase: Phase;
  readonly tlsFailure: TlsFailure | null;

  constructor(phase: Phase, cause: unknown, tlsFailure: TlsFailure | null = null) {
    super(errorText(cause), { cause });
    this.phase = phase;
    this.tlsFailure = tlsFailure;
  }
}

/** A rejection, final for the session or transaction. */
export class Refusal extends Error {
  readonly reply: SmtpReply;

  constructor(reply: SmtpReply) {
    super(reply.response);
    this.reply = reply;
  }
}
