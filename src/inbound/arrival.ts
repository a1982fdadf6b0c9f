/** An arriving mail: its bytes, resolved recipients and envelope. */

import type { QuotaSubject } from '../budget/quota-subject.ts';
import type { Address } from '../kernel/address.ts';
import type { DeliveryId } from '../kernel/ids.ts';
import type { Recipient } from '../store/accounts/recipient-lookup.ts';
import type { Tx } from '../store/store.ts';
import type { Envelope, LocalEnvelope } from '../workers/tasks.ts';

/** A RCPT address after its look-up. */
export type ResolvedRecipient =
  /** `viaReturnPath`: mail other than a report to the return path of one of the mailbox's deliveries. */
  | { kind: 'mailbox'; recipient: Recipient; viaReturnPath?: true }
  /** The return path (VERP) of a delivery: reports on it are filed in its sender's mailbox, unless that is full. */
  | { kind: 'return-path'; recipient: Recipient; deliveryId: DeliveryId; isFull: boolean }
  /**
   * postmaster or abuse at a local domain (RFC 2142). Stored in a mailbox of the instance, or forwarded to the domain's
   * owner or to the operator. The operator gets automatic reports as well (`takesReports`).
   */
  | { kind: 'role'; recipient: Recipient; address: Address; ownerEmail: string | null; takesReports?: true };

export interface Arrival {
  raw: Uint8Array;
  recipients: ResolvedRecipient[];
  envelope: Envelope | LocalEnvelope;
  /** The quota subject for worker threads, which is the client's network; left out: the instance itself. */
  quotaSubject?: QuotaSubject;
  /** Runs in the transaction that stores the mail; local mail records its delivery's outcome here. */
  inTransaction?: (tx: Tx) => Promise<void>;
}

/** `MAIL FROM:<>`, as of notifications (RFC 5321 section 4.5.5). */
export const hasNullSender = ({ envelope }: Pick<Arrival, 'envelope'>): boolean =>
  envelope.kind === 'smtp' && envelope.mailFrom === '';
