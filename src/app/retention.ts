/** What has had its time: it is not asked for any more, and would only grow. */

import { DAY, type Millis } from '../kernel/clock.ts';
import { purgeIdempotencyRecords } from '../store/accounts/idempotency-keys.ts';
import { purgeRoleMailDays } from '../store/events/notices.ts';
import { purgeReplyOutcomes } from '../store/sending/outcomes.ts';
import { purgeEndedSuppressions } from '../store/sending/suppressions.ts';
import { purgeTripwireRows } from '../store/sending/tripwires.ts';
import type { Store } from '../store/store.ts';
import { purgeStsPolicies } from '../store/tls/mta-sts-policies.ts';
import { purgeTlsResults } from '../store/tls/tls-results.ts';

/** Reports are tried for two days; the rest is for whoever looks into a failure. */
const TLS_RESULTS_KEPT_FOR_MS = 10 * DAY;
/** Longer than a digest may wait to be mailed. */
const ROLE_MAIL_KEPT_FOR_MS = 10 * DAY;

/** @param repliesKeptForMs how long a reply stands under its Idempotency-Key */
export const purgeExpired = (store: Store, now: Millis, repliesKeptForMs: Millis): Promise<void> =>
  store.write(async (tx) => {
    await purgeIdempotencyRecords(tx, now - repliesKeptForMs);
    await purgeEndedSuppressions(tx, now);
    await purgeTripwireRows(tx, now);
    await purgeReplyOutcomes(tx, now);
    await purgeRoleMailDays(tx, now - ROLE_MAIL_KEPT_FOR_MS);
    await purgeStsPolicies(tx, now);
    await purgeTlsResults(tx, now - TLS_RESULTS_KEPT_FOR_MS);
  });
