/** The gate's refusals as replies: the reason is the interface's, so that what is documented there holds here too. */

import { isoTime } from '../../kernel/clock.ts';
import { SmtpError } from '../../kernel/errors.ts';
import type { Rejection } from '../../outbound/gate/gate-check.ts';
import { MAX_RECIPIENTS } from '../../outbound/gate/gate-checks.ts';

/** RFC 3463: what a client can do about it is told by the code, the reason by the text. */
export const refusalOf = ({ reason, retryAt }: Rejection): SmtpError => {
  if (retryAt !== undefined) {
    return new SmtpError({ code: 450, enhanced: '4.7.1', text: `${reason}; not before ${isoTime(retryAt)}` });
  }
  if (reason.startsWith('too_many_recipients')) {
    // RFC 5321 section 4.5.3.1.10 asks for 452 where the rest may come in another mail: this limit is for the mail as a whole.
    const text = `A mail goes to at most ${MAX_RECIPIENTS} recipients, To, Cc and Bcc together (${reason})`;
    return new SmtpError({ code: 550, enhanced: '5.5.3', text });
  }
  if (reason.startsWith('attachments_too_large')) return new SmtpError({ code: 552, enhanced: '5.3.4', text: reason });
  return new SmtpError({ code: 550, enhanced: '5.7.1', text: reason });
};
