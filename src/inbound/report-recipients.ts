/**
 * What a return path takes: reports and automatic mail, which are about the delivery that it was made for. Any other mail
 * to one is mail to the mailbox and passes what such mail passes, so that a return path is no way around it.
 */

import { SmtpError } from '../kernel/errors.ts';
import type { Examined } from '../workers/tasks.ts';
import { type Arrival, type Destination, hasNullSender } from './arrival.ts';

type Read = Pick<Examined, 'report' | 'autoSubmitted'>;

const isAboutDelivery = ({ report, autoSubmitted }: Read, arrival: Arrival): boolean =>
  report !== null || autoSubmitted || hasNullSender(arrival);

/** @throws SmtpError 550 where the mailbox takes no mail */
export const resolveReturnPaths = (mail: Read, arrival: Arrival): Arrival => {
  if (isAboutDelivery(mail, arrival)) return arrival;
  const { destinations } = arrival;
  // A mailbox that is named in several ways gets one copy.
  const named = new Set(destinations.filter(({ kind }) => kind === 'mailbox').map(mailboxOf));
  return {
    ...arrival,
    destinations: destinations.flatMap((each) => {
      if (each.kind !== 'return-path') return [each];
      if (named.has(mailboxOf(each))) return [];
      named.add(mailboxOf(each));
      return [asMailbox(each)];
    }),
  };
};

const mailboxOf = ({ recipient }: Destination) => recipient.mailboxId;

const asMailbox = ({ recipient }: Destination): Destination => {
  if (recipient.status === 'active') return { kind: 'mailbox', recipient, viaReturnPath: true };
  throw new SmtpError({ code: 550, enhanced: '5.2.1', text: 'This mailbox takes no mail' });
};

/** Whether all that a mail goes to takes it whatever its sender could prove: roles, and return paths where it is a report. */
export const isExemptFromPolicy = ({ report }: Pick<Examined, 'report'>, { destinations }: Arrival): boolean =>
  destinations.every(({ kind }) => kind === 'role' || (kind === 'return-path' && report !== null));
