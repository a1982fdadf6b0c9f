/** A mail on its way in: who it is for and how it came. */

import type { Occupant } from '../budget/occupant.ts';
import type { Address } from '../kernel/address.ts';
import type { DeliveryId } from '../kernel/ids.ts';
import type { Recipient } from '../store/accounts/recipient-lookup.ts';
import type { Tx } from '../store/store.ts';
import type { Envelope, LocalEnvelope } from '../workers/tasks.ts';
import type { Evidence } from './client-reputation.ts';

/** What an address of ours stands for. */
export type Destination =
  /** `viaReturnPath`: mail that is no report, and came to the return path of one of the mailbox's deliveries. */
  | { kind: 'mailbox'; recipient: Recipient; viaReturnPath?: true }
  /** The return path of a delivery of ours: a report on that delivery, which goes to who sent it. */
  | { kind: 'return-path'; recipient: Recipient; deliveryId: DeliveryId }
  /** postmaster or abuse at a domain of ours (RFC 2142): kept by the box, and passed on to whoever owns the domain. */
  | { kind: 'role'; recipient: Recipient; address: Address; ownerEmail: string | null };

export interface Arrival {
  raw: Uint8Array;
  destinations: Destination[];
  envelope: Envelope | { local: LocalEnvelope };
  /** In whose share of the worker threads it is read: its network's; left out, in the box's own. */
  occupant?: Occupant;
  /** What the connection says about its client; mail between agents of the box comes over none. */
  evidence?: Evidence;
  /** Written in the transaction that stores the mail: the outcome of the delivery that brought it, for local mail. */
  alongside?: (tx: Tx) => Promise<void>;
}

/** Sent with `MAIL FROM:<>`, as notifications are (RFC 5321 section 4.5.5). */
export const hasNullSender = ({ envelope }: Pick<Arrival, 'envelope'>): boolean =>
  !('local' in envelope) && envelope.mailFrom === '';
