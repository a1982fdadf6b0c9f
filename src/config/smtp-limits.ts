/** Limits of the SMTP listeners, each with its default and its reason. */

import { z } from 'zod';
import { count, seconds, secondsOrNone } from './budget-limits.ts';
import { bytes } from './config-values.ts';

/**
 * Octets of a header section that are parsed (mail/header/message-header.ts). A second From beyond them would go
 * unnoticed.
 */
const READ_HEADER_BYTES = 262_144;

export const smtpLimits = {
  // Exim's smtp_accept_max_per_connection. A host with more reconnects, and others are served in between.
  messages_per_connection: count.prefault(1_000),
  // Ten a second: more than a mailing list sends to one instance, far less than would fill a disk.
  messages_per_minute_per_ip: count.prefault(600),
  // RFC 5321 section 4.5.3.1.8 requires at least 100; a client sends the rest in a second transaction.
  recipients_per_message: count.prefault(100),
  // Five for each of the messages above; more indicates directory harvesting.
  recipients_per_minute_per_ip: count.prefault(3_000),
  // A mailing list has a few dead addresses; beyond them replies to unknown recipients are delayed by the next key.
  unknown_recipients_before_delay: count.prefault(5),
  unknown_recipient_delay_seconds: secondsOrNone.prefault(1),
  // Postfix's smtpd_hard_error_limit: as many in one connection indicate a dictionary attack.
  unknown_recipients: count.prefault(20),
  // RFC 5321 section 4.5.3.1.4 specifies 512, to which extensions add: SMTPUTF8, SIZE, AUTH.
  command_bytes: count.min(512, 'a number of bytes, 512 or more').prefault(4_096),
  // RFC 5321 section 4.5.3.1.6 specifies 1000. Some programs write a page of HTML in one line; none writes a quarter of
  // a megabyte.
  line_bytes: count.min(1_000, 'a number of bytes, 1000 or more').prefault(262_144),
  // The parser reads no more than this, so a later field would go unnoticed. Postfix limits one field to 100 kB.
  header_bytes: bytes.max(READ_HEADER_BYTES, `at most ${READ_HEADER_BYTES}`).prefault(READ_HEADER_BYTES),
  // Postfix stops at 50 as well; a mail with more has looped (RFC 5321 section 6.3).
  received_fields: count.prefault(50),
  // RFC 5321 section 4.5.3.2.7: five minutes for the next command. Measured from the last reply, whatever input
  // trickles in.
  command_seconds: seconds.prefault(300),
  // RFC 5321 section 4.5.3.2.5: three minutes between two blocks of DATA.
  data_idle_seconds: seconds.prefault(180),
  // A message of the maximum size over a line of 120 kbit/s.
  message_seconds: seconds.prefault(1_800),
  // Suffices for messages_per_connection at a slow rate, and bounds every connection.
  connection_seconds: seconds.prefault(3_600),
};

export const submissionLimits = {
  // A program with a wrong password retries a few times; more indicates guessing.
  failed_logins_per_minute: count.prefault(5),
  // Delays each reply to a wrong password, which slows down guessing and affects no other client.
  failed_login_delay_seconds: secondsOrNone.prefault(1),
};

/**
 * Free disk space below which messages are rejected: the database needs it to grow, to be checkpointed and to be
 * vacuumed.
 */
export const minFreeBytes = z
  .int('a whole number of bytes')
  .min(0, 'a number of bytes, 0 or more')
  .prefault(268_435_456);
