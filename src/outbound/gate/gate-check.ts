/** A check of the send gate: what it judges and what it says. */

import type { Plan, Plans } from '../../config/plans.ts';
import type { NamedAddress } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { Agent } from '../../store/accounts/agents.ts';
import type { Domain } from '../../store/accounts/domains.ts';
import type { Workspace } from '../../store/accounts/workspaces.ts';
import type { StoredMessage } from '../../store/mail/messages.ts';
import type { Db } from '../../store/store.ts';
import type { SendClass } from './send-class.ts';

/** Who sends: the agent, its mailbox, workspace and the domain of its address. */
export interface Sender {
  agent: Agent;
  /** A temporary mailbox receives only, and ends. */
  mailbox: { receiveOnly: boolean; expiresAt: Millis | null };
  workspace: Workspace;
  domain: Domain;
  plan: Plan;
}

/** A send as the gate judges it. */
export interface Send {
  /** Null where no mailbox backs the caller. */
  sender: Sender | null;
  recipients: NamedAddress[];
  attachmentBytes: number;
  /** The message that is answered or forwarded; `missing` where the caller named one that is not there. */
  parent: StoredMessage | 'missing' | null;
  sendClass: SendClass;
  /** Null until the words are known. */
  bodyHash: Buffer | null;
  plans: Plans;
  now: Millis;
}

/** A send whose sender is known: what all but the first check judge. */
export type KnownSend = Send & { sender: Sender };

export interface Rejection {
  reason: string;
  /** When what blocks it is over; left out where waiting does not help. */
  retryAt?: Millis;
}

export type Check = (send: KnownSend, db: Db) => Promise<Rejection | null> | Rejection | null;
