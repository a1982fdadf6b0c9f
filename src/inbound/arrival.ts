/** A mail on its way in: who it is for and how it came. */

import type { Occupant } from '../budget/occupant.ts';
import type { Address } from '../kernel/address.ts';
import type { DeliveryId } from '../kernel/ids.ts';
import type { Recipient } from '../store/recipients.ts';
import type { Tx } from '../store/store.ts';
import type { Envelope, LocalEnvelope } from '../workers/tasks.ts';
import type { Evidence } from './evidence.ts';

/** What an address of ours stands for. */
export type Destination =
  | { kind: 'mailbox'; recipient: Recipient }
  /** The return path of a delivery of ours: mail to it is about that delivery, and goes to who sent it. */
  | { kind: 'return-path'; recipient: Recipient; deliveryId: DeliveryId }
  /** postmaster or abuse at a domain of ours (RFC 2142): kept by the box, and passed on to whoever owns the domain. */
  | { kind: 'role'; recipient: Recipient; address: Address; ownerEmail: string | null };

/** Whether a mail is about our own mail alone, and so is taken whatever its sender could prove. */
export const isForUs = ({ destinations }: Pick<Arrival, 'destinations'>): boolean =>
  destinations.every(({ kind }) => kind !== 'mailbox');

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
