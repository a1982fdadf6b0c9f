/** Time-outs of the steps of a delivery. */

import { HOUR, MINUTE, type Millis, SECOND } from '../../kernel/clock.ts';

export interface SmtpTimeouts {
  readonly connect: Millis;
  readonly greeting: Millis;
  readonly ehlo: Millis;
  readonly starttls: Millis;
  readonly mail: Millis;
  readonly rcpt: Millis;
  /** From DATA to its 354. */
  readonly dataCommand: Millis;
  /** Between two blocks of the message: the host stopped reading. */
  readonly dataBlock: Millis;
  /** The whole message. The attempt holds its memory for so long. */
  readonly message: Millis;
  readonly final: Millis;
}

/** The values of RFC 5321 section 4.5.3.2, which are minimums for a client, where it specifies one. */
export const SMTP_TIMEOUTS: SmtpTimeouts = {
  /** Not in the RFC; a host that does not answer SYN within this is down, and other addresses follow. Postfix's value. */
  connect: 30 * SECOND,
  /** 4.5.3.2.1: a busy host may accept the connection and greet late. */
  greeting: 5 * MINUTE,
  /** Not in the RFC; some hosts resolve the client's name in this step. */
  ehlo: 5 * MINUTE,
  /** Not in the RFC; a handshake takes two round trips, and an attempt in clear text follows it. */
  starttls: MINUTE,
  /** 4.5.3.2.2. */
  mail: 5 * MINUTE,
  /** 4.5.3.2.3: longer if lists are expanded or callouts made. */
  rcpt: 5 * MINUTE,
  /** 4.5.3.2.4. */
  dataCommand: 2 * MINUTE,
  /** 4.5.3.2.5. */
  dataBlock: 3 * MINUTE,
  /** Not in the RFC, by which 25 MiB could take 20 hours; this is 7 KB/s. */
  message: HOUR,
  /** 4.5.3.2.6: the host may scan and store before it replies; a premature time-out duplicates the message. */
  final: 10 * MINUTE,
};

/** The reply to QUIT has no effect, so the wait is short. */
export const QUIT_TIMEOUT_MS: Millis = 5 * SECOND;
