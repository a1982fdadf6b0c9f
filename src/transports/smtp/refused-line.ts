/** Refused steps of SMTP sessions, as lines of the mail log. */

import { parseAddress } from '../../kernel/address.ts';
import { type MailLog, toRefusedReason } from '../../mail-log/mail-log.ts';
import { API_KEY_PREFIX } from '../../seal/api-key.ts';
import type { OnRefused } from './listener.ts';

/** The address of a login; '' for any other text, as keys and passwords are typed into this field by mistake. */
const toUser = (text: string | null): string => {
  const address = parseAddress(text ?? '');
  return address === null || address.includes(API_KEY_PREFIX) ? '' : address;
};

export const createRecordRefused =
  (mailLog: MailLog): OnRefused =>
  ({ session, stage, from, to, refusal }) => {
    const { responseCode: code, message: reply } = refusal;
    const peer = session.remoteAddress;
    if (stage === 'auth') {
      return mailLog.record({ mail: 'login_failed', reason: 'login_failed', peer, user: toUser(to) });
    }
    const reason = code === 451 && reply.startsWith('4.3.0') ? 'fault' : toRefusedReason(code, reply);
    const { id, hostNameAppearsAs: helo } = session;
    mailLog.record({ mail: 'refused', reason, stage, peer, session: id, helo: helo || '', from, to, code, reply });
  };
