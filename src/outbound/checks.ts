/** The send gate: what every send must pass, as a list in its order. Each check names the reason it refuses with. */

import { addressKey, type NamedAddress } from '../kernel/address.ts';
import { HOUR, isoTime, type Millis } from '../kernel/clock.ts';
import type { DraftAttachment } from '../mail/compose.ts';
import type { Agent } from '../store/agents.ts';
import type { Domain } from '../store/domains.ts';
import { oldestOfRecentReplies, type StoredMessage } from '../store/messages.ts';
import type { Db } from '../store/store.ts';
import type { Workspace } from '../store/workspaces.ts';

/** Who sends: the agent, its workspace and the domain of its address. */
export interface Sender {
  agent: Agent;
  workspace: Workspace;
  domain: Domain;
}

/** A send as the gate judges it. */
export interface Send {
  /** Null where no mailbox backs the caller. */
  sender: Sender | null;
  to: NamedAddress[];
  cc: NamedAddress[];
  attachments: DraftAttachment[];
  /** The message that is answered or forwarded; `missing` where the caller named one that is not there. */
  parent: StoredMessage | 'missing' | null;
  now: Millis;
}

export interface Rejection {
  reason: string;
  /** When what blocks it is over; left out where waiting does not help. */
  retryAt?: Millis;
}

type Check = (send: Send, db: Db) => Promise<Rejection | null> | Rejection | null;

const MAX_RECIPIENTS = 5;
const MAX_ATTACHMENT_BYTES = 10_485_760;
/** Two machines that answer each other would go on for ever: after so many replies in a thread within an hour, no more. */
const MAX_REPLIES_TO_AUTOMATIC = 5;
const LOOP_WINDOW_MS = HOUR;

const mailboxExists: Check = ({ sender }) => (sender ? null : { reason: 'mailbox_not_found' });

const mailboxIsActive: Check = ({ sender }) =>
  sender?.agent.status === 'active' ? null : { reason: 'mailbox_inactive' };

const ownerIsVerified: Check = ({ sender }) =>
  sender?.workspace.verifiedAt == null ? { reason: 'sending_locked_verify_email' } : null;

/** The subdomain is the box's own and may send at once; a custom domain shows first that it is the workspace's. */
const domainMaySend: Check = ({ sender }) =>
  sender?.domain.kind === 'custom' && sender.domain.status !== 'verified' ? { reason: 'domain_not_verified' } : null;

const recipientsAreFew: Check = ({ to, cc }) =>
  to.length + cc.length > MAX_RECIPIENTS ? { reason: `too_many_recipients_max_${MAX_RECIPIENTS}` } : null;

const attachmentsAreSmall: Check = ({ attachments }) => {
  const bytes = attachments.reduce((sum, { content }) => sum + content.length, 0);
  return bytes > MAX_ATTACHMENT_BYTES ? { reason: `attachments_too_large_max_${MAX_ATTACHMENT_BYTES}_bytes` } : null;
};

const replyTargetExists: Check = ({ parent }) => (parent === 'missing' ? { reason: 'reply_target_not_found' } : null);

const breaksNoLoop: Check = async ({ parent, now }, db) => {
  if (parent === null || parent === 'missing' || !parent.automatic) return null;
  const oldest = await oldestOfRecentReplies(db, parent.threadId, now - LOOP_WINDOW_MS, MAX_REPLIES_TO_AUTOMATIC);
  return oldest === null ? null : { reason: 'reply_loop_detected', retryAt: oldest + LOOP_WINDOW_MS };
};

const checks: readonly Check[] = [
  mailboxExists,
  mailboxIsActive,
  ownerIsVerified,
  domainMaySend,
  recipientsAreFew,
  attachmentsAreSmall,
  replyTargetExists,
  breaksNoLoop,
];

/** The first refusal, or null where the send may go. */
export const judgeSend = async (send: Send, db: Db): Promise<Rejection | null> => {
  for (const check of checks) {
    const rejection = await check(send, db);
    if (rejection) return rejection;
  }
  return null;
};

export const rejected = ({ reason, retryAt }: Rejection) => ({
  status: 'rejected' as const,
  reason,
  ...(retryAt !== undefined && { retryAfter: isoTime(retryAt) }),
});

/** The recipients, each once, in the order given. */
export const recipientsOf = ({ to, cc }: Pick<Send, 'to' | 'cc'>): NamedAddress[] =>
  [
    ...new Map([...to, ...cc].reverse().map((recipient) => [addressKey(recipient.address), recipient])).values(),
  ].reverse();
