/** A check of the send gate: its input and its result. */

import type { Plan, Plans } from '../../config/plans.ts';
import type { NamedAddress } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { SecretId } from '../../kernel/ids.ts';
import type { Agent } from '../../store/accounts/agents.ts';
import type { Domain } from '../../store/accounts/domains.ts';
import type { Workspace } from '../../store/accounts/workspaces.ts';
import type { StoredMessage } from '../../store/mail/messages.ts';
import type { Db } from '../../store/store.ts';
import type { RejectionReason } from './rejections.ts';
import type { SendClass } from './send-class.ts';

/** The agent, its mailbox, workspace, plan and the domain of its address. */
export interface Sender {
  agent: Agent;
  /** A temporary mailbox is receive-only and expires. */
  mailbox: { receiveOnly: boolean; expiresAt: Millis | null };
  workspace: Workspace;
  domain: Domain;
  plan: Plan;
}

/** A secret of the vault in a mail. */
export interface FoundSecret {
  secretId: SecretId;
  /** `subject`, `text`, `html`, `header`, `source`, `attachment NAME`, `name of attachment NAME`. */
  where: string[];
}

/** Secrets of the vault in a mail; `unchecked`: the vault's key is missing, so that nothing can be searched for. */
export type SecretsFound = readonly FoundSecret[] | 'unchecked';

/** A send as the checks see it. */
export interface Send {
  /** Null where no mailbox backs the caller. */
  sender: Sender | null;
  recipients: NamedAddress[];
  attachmentBytes: number;
  /** The message that is answered or forwarded; `missing` where the caller named one that does not exist. */
  parent: StoredMessage | 'missing' | null;
  sendClass: SendClass;
  /** Whether it includes an attachment of unauthenticated mail. */
  sendsOnDoubtful?: boolean | undefined;
  /** Null until the message is prepared. */
  bodyHash: Buffer | null;
  /** Empty until the message is prepared. */
  secrets: SecretsFound;
  plans: Plans;
  /** Whether mail goes to domains of this instance alone (`[outbound] local_only`). */
  isLocalOnly: boolean;
  now: Millis;
}

/** A send with an existing sender: the input of every check but the first. */
export type KnownSend = Send & { sender: Sender };

export interface Rejection {
  reason: RejectionReason;
  /** Replaces the reason's own hint. */
  hint?: string;
  /** When the cause ends; left out where waiting does not help. */
  retryAt?: Millis;
}

export type Check = (send: KnownSend, db: Db) => Promise<Rejection | null> | Rejection | null;
