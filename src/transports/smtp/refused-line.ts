/** Refused steps of SMTP sessions, as lines of the mail log. */

import { type MailLog, toRefusedReason } from '../../mail-log/mail-log.ts';
import type { OnRefused } from './listener.ts';

export const createRecordRefused =
  (mailLog: MailLog): OnRefused =>
  ({ session, stage, from, to, refusal }) => {
    const { responseCode: code, message: reply } = refusal;
    const peer = session.remoteAddress;
    if (stage === 'auth') return mailLog.record({ mail: 'login_failed', reason: 'login_failed', peer, user: to ?? '' });
    const reason = code === 451 && reply.startsWith('4.3.0') ? 'fault' : toRefusedReason(code, reply);
    const { id, hostNameAppearsAs: helo } = session;
    mailLog.record({ mail: 'refused', reason, stage, peer, session: id, helo: helo || '', from, to, code, reply });
  };
