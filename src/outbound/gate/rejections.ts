/** Why the gate refuses a send: the reasons by their stable names, as the docs list them. */

/** Two name their limit, and one is followed by addresses. */
export const REJECTIONS = {
  mailbox_not_found: 'No mailbox backs the key: its agent was removed.',
  mailbox_expired: 'The mailbox was temporary, and its time is over.',
  mailbox_receive_only: 'The mailbox only receives, as temporary ones do.',
  mailbox_inactive: 'The agent is suspended. A person resumes it.',
  sending_locked_verify_email: 'The workspace is not verified: a person claims it, or the operator verifies it.',
  workspace_paused: 'Bounces or complaints paused the workspace, or a person did. Only an owner resumes it.',
  domain_not_verified:
    'The domain of your address is not verified, or its records have been wrong for two days: `list_domains` (GET /v1/domains) shows them.',
  too_many_recipients_max_5: 'At most five recipients a mail, to, cc and bcc together.',
  local_mode:
    'This instance sends nothing beyond itself, as `./install.sh --local` starts it; `--internet` lets mail out.',
  attachments_too_large_max_10485760_bytes: 'The attachments have more than 10 MiB together.',
  reply_target_not_found: '`reply_to_message_id` names no message of the mailbox.',
  reply_loop_detected: 'Five answers within an hour to a thread of automatic mail. Wait until `retryAfter`.',
  recipient_suppressed:
    'A recipient bounced or complained before; the addresses follow a colon. Leave them out: `list_suppressions` (GET /v1/suppressions) tells why.',
  daily_send_quota_exhausted: "The day's sends are used up. Wait until `retryAfter`.",
  monthly_send_quota_exhausted: "The month's sends are used up. Wait until `retryAfter`.",
  monthly_spend_cap_reached: "The month's spending has reached its cap. Only an owner raises it.",
  velocity_spike_detected: 'Far more first mails within an hour than this mailbox is used to. Wait until `retryAfter`.',
  velocity_spike_cooldown: 'A spike was detected within the last hour. Wait until `retryAfter`.',
  duplicate_content_burst_detected: 'The same text went to many recipients. Write to each, or wait until `retryAfter`.',
  too_much_held_mail:
    'Of this mailbox 200 mails, or 200 MiB, wait for a person: it sends nothing until some of it is decided, or expires at `retryAfter`.',
  too_much_scheduled_mail:
    'The mailbox has scheduled 10,000 mails, or 200 MiB: it schedules more once some has gone, the first at `retryAfter`, or is cancelled.',
  too_long_to_review: 'A person reviews your mail, and this one is too long to be shown whole. Shorten it.',
} as const;

export type RejectionReason =
  | Exclude<keyof typeof REJECTIONS, 'recipient_suppressed'>
  | `recipient_suppressed:${string}`;

export const hintOfRejection = ({ reason, hint }: { reason: RejectionReason; hint?: string }): string =>
  hint ?? REJECTIONS[reason.replace(/:.*/s, '') as keyof typeof REJECTIONS];

/** The hint of a stored reason; null where the reason is none of the gate's. */
export const hintOfReason = (reason: string | null): string | null =>
  (reason && REJECTIONS[reason.replace(/:.*/s, '') as keyof typeof REJECTIONS]) ?? null;
