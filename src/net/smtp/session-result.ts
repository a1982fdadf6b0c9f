/** How an SMTP session, or a mail in it, ended. */

import type { TlsFailure, TlsState } from './delivery-request.ts';
import type { SmtpReply } from './smtp-reply.ts';

export type Phase = 'connect' | 'greeting' | 'ehlo' | 'starttls' | 'auth' | 'mail' | 'rcpt' | 'data' | 'final';

export interface Answered extends SmtpReply {
  /** `refused`: the host's last word is 4yz, come again, or 5yz, do not. */
  readonly kind: 'accepted' | 'refused';
  /** null: the message went, or would have gone, in the clear. */
  readonly tls: TlsState | null;
  readonly transcript: string;
}

/** The network, or a host that does not speak SMTP, or not the TLS that is required. */
export interface Unreachable {
  readonly kind: 'unreachable';
  readonly reason: string;
  /** With `final` the message may have been taken all the same: the host has all of it, and its answer did not arrive. */
  readonly phase: Phase;
  /** Where it is TLS that failed. */
  readonly tlsFailure: TlsFailure | null;
  /** The address of ours that was connected from; null where there was no connection. */
  readonly localAddress: string | null;
  readonly transcript: string;
}

export type DeliveryReply = Answered | Unreachable;

/** A step that came to no reply. */
export class SessionError extends Error {
  readonly phase: Phase;
  readonly tlsFailure: TlsFailure | null;

  constructor(phase: Phase, cause: unknown, tlsFailure: TlsFailure | null = null) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.phase = phase;
    this.tlsFailure = tlsFailure;
  }
}

/** The host said no, and what comes after it does not change that. */
export class Refusal extends Error {
  readonly reply: SmtpReply;

  constructor(reply: SmtpReply) {
    super(reply.response);
    this.reply = reply;
  }
}
