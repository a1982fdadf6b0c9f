/** Converts the send gate's rejections to SMTP replies. The reply's text is the interface's reason, as documented there. */

import { isoTime } from '../../kernel/clock.ts';
import { SmtpError } from '../../kernel/errors.ts';
import type { Rejection } from '../../outbound/gate/gate-check.ts';
import { MAX_RECIPIENTS } from '../../outbound/gate/gate-checks.ts';

/** Chooses the enhanced code (RFC 3463) by what the client can do about the rejection; the text has the reason. */
export const toSmtpError = ({ reason, retryAt }: Rejection): SmtpError => {
  if (retryAt !== undefined) {
    return new SmtpError({ code: 450, enhanced: '4.7.1', text: `${reason}; not before ${isoTime(retryAt)}` });
  }
  if (reason.startsWith('too_many_recipients')) {
    // Not the 452 of RFC 5321 section 4.5.3.1.10, which invites the rest in another message: the limit is per message.
    const text = `A mail goes to at most ${MAX_RECIPIENTS} recipients, To, Cc and Bcc together (${reason})`;
    return new SmtpError({ code: 550, enhanced: '5.5.3', text });
  }
  if (reason.startsWith('attachments_too_large')) return new SmtpError({ code: 552, enhanced: '5.3.4', text: reason });
  return new SmtpError({ code: 550, enhanced: '5.7.1', text: reason });
};
