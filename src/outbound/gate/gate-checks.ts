/** The send gate: the ordered list of checks that every send passes. Each check names the reason of its refusal. */

import { addressKey, domainOf } from '../../kernel/address.ts';
import { DAY, HOUR, isoTime, type Millis } from '../../kernel/clock.ts';
import { isOwnDomain } from '../../store/accounts/recipient-lookup.ts';
import { oldestOfRecentReplies } from '../../store/mail/thread-messages.ts';
import { sumHeldSends } from '../../store/sending/held-sends.ts';
import { findSuppressed, type Suppressed } from '../../store/sending/suppressions.ts';
import type { Db } from '../../store/store.ts';
import type { Check, KnownSend, Rejection, Send } from './gate-check.ts';
import { dailyQuotaIsLeft, monthlyQuotaIsLeft, probationIsKept, spendCapIsKept } from './quota-checks.ts';
import { hintOfRejection } from './rejections.ts';
import { bodyIsNoBurst, isNoSpike, isNotCoolingDown } from './tripwire-checks.ts';

export const MAX_RECIPIENTS = 5;
export const MAX_ATTACHMENT_BYTES = 10_485_760;
/** Bound on mail loops between automatic responders (RFC 3834 section 2): replies in a thread within an hour. */
const MAX_REPLIES_TO_AUTOMATIC = 5;
const LOOP_WINDOW_MS = HOUR;

/** More than a person decides in a day; at 300 requests a minute an agent would otherwise have thousands wait. */
export const MAX_OPEN_HELD = 200;
/** Bytes of held mail, which stands on the disk until it is decided: 20 mails with the largest attachments. */
export const MAX_OPEN_HELD_BYTES = 200 * 1024 * 1024;

/**
 * Refuses every send of a mailbox at a bound. Refusing only mail that would be held would tell an agent which of its
 * mails contain a secret.
 */
const heldMailIsFew: Check = async ({ sender: { agent } }, db) => {
  const { count, bytes, firstExpiresAt } = await sumHeldSends(db, agent.mailboxId);
  if (count < MAX_OPEN_HELD && bytes < MAX_OPEN_HELD_BYTES) return null;
  return { reason: 'too_much_held_mail', ...(firstExpiresAt !== null && { retryAt: firstExpiresAt }) };
};

const isNotExpired: Check = ({ sender: { mailbox }, now }) =>
  mailbox.expiresAt !== null && mailbox.expiresAt <= now ? { reason: 'mailbox_expired' } : null;

const maySend: Check = ({ sender: { mailbox } }) => (mailbox.receiveOnly ? { reason: 'mailbox_receive_only' } : null);

const isActive: Check = ({ sender: { agent } }) => (agent.status === 'active' ? null : { reason: 'mailbox_inactive' });

const ownerIsVerified: Check = ({ sender: { workspace } }) =>
  workspace.verifiedAt === null ? { reason: 'sending_locked_verify_email' } : null;

const workspaceIsNotPaused: Check = ({ sender: { workspace } }) =>
  workspace.sendingState === 'paused' ? { reason: 'workspace_paused' } : null;

/** A subdomain of the base domain may send at once; a custom domain only after its verification. */
const domainMaySend: Check = ({ sender: { domain } }) =>
  domain.kind === 'custom' && domain.status !== 'verified' ? { reason: 'domain_not_verified' } : null;

const recipientsAreFew: Check = ({ recipients }) =>
  recipients.length > MAX_RECIPIENTS ? { reason: `too_many_recipients_max_${MAX_RECIPIENTS}` } : null;

const staysLocal: Check = async ({ isLocalOnly, recipients }, db) => {
  if (!isLocalOnly) return null;
  const domains = new Set(recipients.map(({ address }) => domainOf(addressKey(address))));
  for (const domain of domains) if (!(await isOwnDomain(db, domain))) return { reason: 'local_mode' };
  return null;
};

/** @param attachmentBytes of all attachments together */
export const attachmentsAreSmall = ({ attachmentBytes }: Pick<Send, 'attachmentBytes'>): Rejection | null =>
  attachmentBytes > MAX_ATTACHMENT_BYTES ? { reason: `attachments_too_large_max_${MAX_ATTACHMENT_BYTES}_bytes` } : null;

const replyTargetExists: Check = ({ parent }) => (parent === 'missing' ? { reason: 'reply_target_not_found' } : null);

const breaksNoLoop: Check = async ({ parent, now }, db) => {
  if (parent === null || parent === 'missing' || !parent.automatic) return null;
  const oldest = await oldestOfRecentReplies(db, parent.threadId, now - LOOP_WINDOW_MS, MAX_REPLIES_TO_AUTOMATIC);
  return oldest === null ? null : { reason: 'reply_loop_detected', retryAt: oldest + LOOP_WINDOW_MS };
};

/**
 * How a suppression counts for the instance's own mail, which is rare and waited for. One with an end stops nothing: it is
 * about a network or a host. A bounce stops mail for a day only. No command lifts it, and the mail host may have been wrong:
 * its owner would get no notice and no link again.
 */
const forOwnMail = ({ address, reason, until, createdAt }: Suppressed, now: Millis) => {
  if (until !== null) return [];
  const end = reason === 'bounce' ? createdAt + DAY : null;
  return end === null || end > now ? [{ address, until: end }] : [];
};

const noRecipientIsSuppressed: Check = async ({ sender, recipients, now }, db) => {
  const addresses = recipients.map(({ address }) => addressKey(address));
  const found = await findSuppressed(db, sender.workspace.id, addresses, now);
  const suppressed = sender.workspace.hidden ? found.flatMap((each) => forOwnMail(each, now)) : found;
  if (suppressed.length === 0) return null;
  const reason = `recipient_suppressed:${suppressed.map(({ address }) => address).join(',')}` as const;
  const untils = suppressed.flatMap(({ until }) => (until === null ? [] : [until]));
  // Waiting helps only where each suppression has an end.
  return untils.length === suppressed.length ? { reason, retryAt: Math.max(...untils) } : { reason };
};

/** By name: the reason of its refusal without its limit, save where two checks have one reason. */
type NamedChecks = readonly (readonly [name: string, check: Check])[];

/** Checks of the sender and the recipients. */
const checksOfAll: NamedChecks = [
  ['mailbox_expired', isNotExpired],
  ['mailbox_receive_only', maySend],
  ['mailbox_inactive', isActive],
  ['sending_locked_verify_email', ownerIsVerified],
  ['workspace_paused', workspaceIsNotPaused],
  ['domain_not_verified', domainMaySend],
  ['too_many_recipients', recipientsAreFew],
  ['local_mode', staysLocal],
  ['attachments_too_large', attachmentsAreSmall],
  ['reply_target_not_found', replyTargetExists],
  ['reply_loop_detected', breaksNoLoop],
  ['recipient_suppressed', noRecipientIsSuppressed],
];

/** Quotas, counted when a mail is accepted for delivery. */
const checksOfQuotas: NamedChecks = [
  ['probation', probationIsKept],
  ['daily_send_quota_exhausted', dailyQuotaIsLeft],
  ['monthly_send_quota_exhausted', monthlyQuotaIsLeft],
  ['monthly_spend_cap_reached', spendCapIsKept],
  ['velocity_spike_cooldown', isNotCoolingDown],
  ['velocity_spike_detected', isNoSpike],
  ['duplicate_content_burst_detected', bodyIsNoBurst],
];

/** `hold`: before a mail is held or accepted; `sending`: further checks of accepted mail; `release`: of held mail. */
const CHECKS = {
  hold: [...checksOfAll, ['too_much_held_mail', heldMailIsFew]],
  sending: checksOfQuotas,
  release: [...checksOfAll, ...checksOfQuotas],
} as const satisfies Record<string, NamedChecks>;

export type Stage = keyof typeof CHECKS;

/**
 * Runs the checks of a stage, and names the first refusal. They read at once: a server is waited for about as long as
 * for one of them.
 */
export const runChecks = async (send: KnownSend, db: Db, stage: Stage) => {
  const checks = await Promise.all(
    CHECKS[stage].map(async ([name, check]) => ({ name, rejection: await check(send, db) })),
  );
  return { checks, rejection: checks.find(({ rejection }) => rejection)?.rejection ?? null };
};

/** The first refusal; null where the send may be held or accepted. */
export const checkSend = async (send: Send, db: Db, stage: Stage): Promise<Rejection | null> => {
  const { sender } = send;
  return sender ? (await runChecks({ ...send, sender }, db, stage)).rejection : { reason: 'mailbox_not_found' };
};

export const rejected = (rejection: Rejection) => ({
  status: 'rejected' as const,
  reason: rejection.reason,
  hint: hintOfRejection(rejection),
  ...(rejection.retryAt !== undefined && { retryAfter: isoTime(rejection.retryAt) }),
});
