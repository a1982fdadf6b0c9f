/**
 * What a return path takes: reports and automatic mail, which are about the delivery that it was made for. Any other mail
 * to one is mail to the mailbox and passes what such mail passes, so that a return path is no way around it.
 */

import { SmtpError } from '../kernel/errors.ts';
import type { VerifiedMessage } from '../workers/tasks.ts';
import { type Arrival, hasNullSender, type ResolvedRecipient } from './arrival.ts';

type Read = Pick<VerifiedMessage, 'report' | 'autoSubmitted'>;

const isAboutDelivery = ({ report, autoSubmitted }: Read, arrival: Arrival): boolean =>
  report !== null || autoSubmitted || hasNullSender(arrival);

/** @throws SmtpError 550 where the mailbox takes no mail */
export const resolveReturnPaths = (mail: Read, arrival: Arrival): Arrival => {
  if (isAboutDelivery(mail, arrival)) return arrival;
  const { recipients } = arrival;
  // A mailbox that is named in several ways gets one copy.
  const named = new Set(recipients.filter(({ kind }) => kind === 'mailbox').map(mailboxOf));
  return {
    ...arrival,
    recipients: recipients.flatMap((each) => {
      if (each.kind !== 'return-path') return [each];
      if (named.has(mailboxOf(each))) return [];
      named.add(mailboxOf(each));
      return [asMailbox(each)];
    }),
  };
};

const mailboxOf = ({ recipient }: ResolvedRecipient) => recipient.mailboxId;

const asMailbox = ({ recipient }: ResolvedRecipient): ResolvedRecipient => {
  if (recipient.status === 'active') return { kind: 'mailbox', recipient, viaReturnPath: true };
  throw new SmtpError({ code: 550, enhanced: '5.2.1', text: 'This mailbox takes no mail' });
};

/** Whether all that a mail goes to takes it whatever its sender could prove: roles, and return paths where it is a report. */
export const isExemptFromPolicy = ({ report }: Pick<VerifiedMessage, 'report'>, { recipients }: Arrival): boolean =>
  recipients.every(({ kind }) => kind === 'role' || (kind === 'return-path' && report !== null));
