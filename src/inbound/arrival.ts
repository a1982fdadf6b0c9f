/** A mail on its way in: who it is for and how it came. */

import type { DeliveryId } from '../kernel/ids.ts';
import type { Recipient } from '../store/recipients.ts';
import type { Tx } from '../store/store.ts';
import type { Envelope, LocalEnvelope } from '../workers/tasks.ts';
import type { Evidence } from './evidence.ts';

/** What an address of ours stands for. */
export type Destination =
  | { kind: 'mailbox'; recipient: Recipient }
  /** The return path of a delivery of ours: mail to it is about that delivery, and goes to who sent it. */
  | { kind: 'return-path'; recipient: Recipient; deliveryId: DeliveryId };

export interface Arrival {
  raw: Uint8Array;
  destinations: Destination[];
  envelope: Envelope | { local: LocalEnvelope };
  /** What the connection says about its client; mail between agents of the box comes over none. */
  evidence?: Evidence;
  /** Written in the transaction that stores the mail: the outcome of the delivery that brought it, for local mail. */
  alongside?: (tx: Tx) => Promise<void>;
}
