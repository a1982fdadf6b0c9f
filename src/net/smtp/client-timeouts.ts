/** How long each step of a delivery may take. */

import { MINUTE, type Millis, SECOND } from '../../kernel/clock.ts';

export interface SmtpTimeouts {
  readonly connect: Millis;
  readonly greeting: Millis;
  readonly ehlo: Millis;
  readonly starttls: Millis;
  readonly mail: Millis;
  readonly rcpt: Millis;
  /** From DATA to its 354. */
  readonly dataCommand: Millis;
  /** Between two blocks of the message, which is a host that stopped reading. */
  readonly dataBlock: Millis;
  readonly final: Millis;
}

/** RFC 5321 section 4.5.3.2 where it names one: its figures are the least that a client may wait. */
export const SMTP_TIMEOUTS: SmtpTimeouts = {
  /** Not in the RFC; a host that does not answer SYN in this time is down, and other addresses wait. Postfix's figure. */
  connect: 30 * SECOND,
  /** 4.5.3.2.1: a busy host may accept the connection and greet late. */
  greeting: 5 * MINUTE,
  /** Not in the RFC; a host that looks our name up does so here. */
  ehlo: 5 * MINUTE,
  /** Not in the RFC; a handshake is two round trips, and the clear is tried after it. */
  starttls: MINUTE,
  /** 4.5.3.2.2. */
  mail: 5 * MINUTE,
  /** 4.5.3.2.3: longer if lists are expanded or callouts made. */
  rcpt: 5 * MINUTE,
  /** 4.5.3.2.4. */
  dataCommand: 2 * MINUTE,
  /** 4.5.3.2.5. */
  dataBlock: 3 * MINUTE,
  /** 4.5.3.2.6: the host may scan and store before it answers; giving up early sends the message twice. */
  final: 10 * MINUTE,
};

/** The answer to QUIT changes nothing, so little is waited for it. */
export const QUIT_TIMEOUT_MS: Millis = 5 * SECOND;
