/** What the SMTP listeners bound, each key with its default and the reason for it. */

import { z } from 'zod';
import { bytes } from './config-values.ts';

const count = z.int('a whole number').min(1, 'a whole number, 1 or more');
/** A timer of Node holds no more than 24 days; a day is more than any of these needs. */
const seconds = z.number('a number of seconds').positive('a number of seconds above 0').max(86_400, 'at most a day');
const secondsOrNone = z.number('a number of seconds').min(0, 'a number of seconds, 0 or more').max(60, 'at most 60');

/** Octets of a header section that are read (mail/header/message-header.ts). A second From behind them would be seen by nobody. */
const READ_HEADER_BYTES = 262_144;

export const smtpLimits = {
  // Exim's smtp_accept_max_per_connection. A host with more comes again, and others are served in between.
  messages_per_connection: count.prefault(1_000),
  // Ten a second: more than a mailing list sends to one box, far less than what fills a disk.
  messages_per_minute_per_ip: count.prefault(600),
  // RFC 5321 section 4.5.3.1.8 asks for 100 at least; a client sends the rest in a second transaction.
  recipients_per_message: count.prefault(100),
  // Five for each of the messages above: who asks for more is looking for addresses.
  recipients_per_minute_per_ip: count.prefault(3_000),
  // A mailing list has a few dead addresses; from here on a guess takes the next key's time.
  unknown_recipients_before_delay: count.prefault(5),
  unknown_recipient_delay_seconds: secondsOrNone.prefault(1),
  // Postfix's smtpd_hard_error_limit: with so many in one connection a dictionary is being tried.
  unknown_recipients: count.prefault(20),
  // RFC 5321 section 4.5.3.1.4 says 512, and extensions add to it: SMTPUTF8, SIZE, AUTH.
  command_bytes: count.min(512, 'a number of bytes, 512 or more').prefault(4_096),
  // RFC 5321 section 4.5.3.1.6 says 1000. Programs write a page of HTML in a line; none writes a quarter of a megabyte.
  line_bytes: count.min(1_000, 'a number of bytes, 1000 or more').prefault(262_144),
  // The parser reads no more than this, so a field behind it would go unjudged. Postfix keeps 100 kB of one field.
  header_bytes: bytes.max(READ_HEADER_BYTES, `at most ${READ_HEADER_BYTES}`).prefault(READ_HEADER_BYTES),
  // Postfix stops at 50 as well; a mail with more has looped (RFC 5321 section 6.3).
  received_fields: count.prefault(50),
  // RFC 5321 section 4.5.3.2.7: five minutes for the next command. Counted from our reply, whatever trickles in.
  command_seconds: seconds.prefault(300),
  // RFC 5321 section 4.5.3.2.5: three minutes between two blocks of DATA.
  data_idle_seconds: seconds.prefault(180),
  // The largest message over a line of 120 kbit/s.
  message_seconds: seconds.prefault(1_800),
  // Long enough for messages_per_connection at a slow pace; no connection stays for ever.
  connection_seconds: seconds.prefault(3_600),
};

export const submissionLimits = {
  // A program with a wrong password tries a few times; one that tries more is guessing.
  failed_logins_per_minute: count.prefault(5),
  // Each answer to a wrong password takes so long: a guesser's time, and no loss to anybody else.
  failed_login_delay_seconds: secondsOrNone.prefault(1),
};

/** Free space below which no message is taken: what the database needs to grow, to be checkpointed and to be vacuumed. */
export const minFreeBytes = z
  .int('a whole number of bytes')
  .min(0, 'a number of bytes, 0 or more')
  .prefault(268_435_456);
