/**
 * Recipients of mail to return paths. Reports and automatic mail concern the delivery of the return path. Any other
 * mail is treated as mail to the mailbox, so that a return path does not bypass its filters.
 */

import { SmtpError } from '../kernel/errors.ts';
import type { VerifiedMessage } from '../workers/tasks.ts';
import { type Arrival, hasNullSender, type ResolvedRecipient } from './arrival.ts';
import { mailboxFull } from './mail-quota.ts';

type Read = Pick<VerifiedMessage, 'report' | 'autoSubmitted'>;

export const takesNoMail = () => new SmtpError({ code: 550, enhanced: '5.2.1', text: 'This mailbox takes no mail' });

const isAboutDelivery = ({ report, autoSubmitted }: Read, arrival: Arrival): boolean =>
  report !== null || autoSubmitted || hasNullSender(arrival);

const isSuspended = ({ kind, recipient }: ResolvedRecipient): boolean =>
  kind === 'return-path' && recipient.status !== 'active';

const isFull = (recipient: ResolvedRecipient): boolean => recipient.kind === 'return-path' && recipient.isFull;

/** @throws SmtpError where the mailbox is inactive (550) or full (452): its return paths take reports alone */
export const resolveReturnPaths = (mail: Read, arrival: Arrival): Arrival => {
  if (mail.report === null && arrival.recipients.some(isSuspended)) throw takesNoMail();
  if (mail.report === null && arrival.recipients.some(isFull)) throw mailboxFull();
  if (isAboutDelivery(mail, arrival)) return arrival;
  const { recipients } = arrival;
  // A mailbox that is addressed in several ways gets one copy.
  const named = new Set(recipients.filter(({ kind }) => kind === 'mailbox').map(toMailboxId));
  return {
    ...arrival,
    recipients: recipients.flatMap((each) => {
      if (each.kind !== 'return-path') return [each];
      if (named.has(toMailboxId(each))) return [];
      named.add(toMailboxId(each));
      return [toMailboxRecipient(each)];
    }),
  };
};

const toMailboxId = ({ recipient }: ResolvedRecipient) => recipient.mailboxId;

const toMailboxRecipient = ({ recipient }: ResolvedRecipient): ResolvedRecipient => {
  if (recipient.status === 'active') return { kind: 'mailbox', recipient, viaReturnPath: true };
  throw takesNoMail();
};

/** Whether DMARC policy does not apply: every recipient is a role address, or a return path that receives a report. */
export const isExemptFromPolicy = ({ report }: Pick<VerifiedMessage, 'report'>, { recipients }: Arrival): boolean =>
  recipients.every(({ kind }) => kind === 'role' || (kind === 'return-path' && report !== null));
