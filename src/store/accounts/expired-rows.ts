/** How long rows stay that go by their own time. */

import { DAY, HOUR, type Millis } from '../../kernel/clock.ts';
import { formatDay } from '../../kernel/utc-period.ts';
import { heldNoticeHours, roleMailDays } from '../events/events-mappings.ts';
import { oauthClients, oauthRecords } from '../oauth/oauth-mappings.ts';
import { invitations, ownerSessions, pushMessages, signInLinks, toldNeeds } from '../owners/owners-mappings.ts';
import { atMost, below, deleteRows } from '../rows.ts';
import {
  bodyRecipients,
  coldSends,
  hostDays,
  mailDays,
  outcomes,
  replyOutcomes,
  suppressions,
  usage,
} from '../sending/sending-mappings.ts';
import type { Tx } from '../store.ts';
import { mtaStsPolicies, tlsForeignReports, tlsReports, tlsResults } from '../tls/tls-mappings.ts';
import { addresses, dkimKeys, idempotencyKeys } from './accounts-mappings.ts';
import { IDEMPOTENCY_RETENTION_MS } from './idempotency-keys.ts';

/** Exceeds the longest time over which links to an address are counted. */
const LINKS_MS = 2 * DAY;
/** Longer than an invitation is open: its page shows the outcome until then. */
const INVITATIONS_MS = 30 * DAY;
/** Old signatures verify for so long: five days in queues, and time for a verifier. */
const RETIRED_DKIM_KEYS_MS = 7 * DAY;
const UNUSED_CLIENTS_MS = 90 * DAY;
/** Exceeds the window of every tripwire. */
const COLD_SENDS_MS = 8 * DAY;
/** A quarter of a year and a day. */
const MAIL_DAYS_MS = 92 * DAY;
/** Health shows up to 90 days, each with the rates of the 7 days that end with it. */
const OUTCOMES_MS = 98 * DAY;
/** Exceeds the longest wait of a digest. */
const ROLE_MAIL_MS = 10 * DAY;
/** Reports are retried for 2 days; the remainder serves the diagnosis of failures. */
const TLS_RESULTS_MS = 10 * DAY;

export const purgeExpired = async (tx: Tx, now: Millis): Promise<void> => {
  await deleteRows(tx, idempotencyKeys, { createdAt: atMost(now - IDEMPOTENCY_RETENTION_MS) });
  // Former addresses of agents take no mail any more, and their handles are free.
  await deleteRows(tx, addresses, { retiresAt: atMost(now) });
  await deleteRows(tx, dkimKeys, { retiredAt: below(now - RETIRED_DKIM_KEYS_MS) });
  await deleteRows(tx, signInLinks, { createdAt: atMost(now - LINKS_MS) });
  await deleteRows(tx, invitations, { createdAt: atMost(now - INVITATIONS_MS) });
  await deleteRows(tx, ownerSessions, { expiresAt: atMost(now) });
  // Sent messages are kept for the gap between two; needs that ended are told anew after a day.
  await deleteRows(tx, pushMessages, { dueAt: null, changedAt: below(now - DAY) });
  await deleteRows(tx, toldNeeds, { seenAt: below(now - DAY) });
  await deleteRows(tx, oauthRecords, { expiresAt: atMost(now) });
  await deleteRows(tx, oauthClients, { lastUsedAt: atMost(now - UNUSED_CLIENTS_MS) });
  await deleteRows(tx, suppressions, { until: atMost(now) });
  await deleteRows(tx, bodyRecipients, { sentAt: below(now - HOUR) });
  await deleteRows(tx, coldSends, { startsAt: below(now - COLD_SENDS_MS) });
  // Past days are counted already.
  await deleteRows(tx, replyOutcomes, { day: below(now - DAY) });
  await deleteRows(tx, outcomes, { hour: below(now - OUTCOMES_MS) });
  await deleteRows(tx, mailDays, { day: below(now - MAIL_DAYS_MS) });
  // A month, such as 2026-08, is before each of its days.
  await deleteRows(tx, usage, { period: below(formatDay(now - MAIL_DAYS_MS)) });
  await deleteRows(tx, hostDays, { day: below(now - MAIL_DAYS_MS) });
  await deleteRows(tx, roleMailDays, { day: below(now - ROLE_MAIL_MS) });
  await deleteRows(tx, heldNoticeHours, { hour: below(now - DAY) });
  await deleteRows(tx, mtaStsPolicies, { expiresAt: atMost(now) });
  await deleteRows(tx, tlsResults, { day: below(now - TLS_RESULTS_MS) });
  await deleteRows(tx, tlsReports, { day: below(now - TLS_RESULTS_MS) });
  await deleteRows(tx, tlsForeignReports, { day: below(now - TLS_RESULTS_MS) });
};
