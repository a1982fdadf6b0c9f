/** What has had its time: it is not asked for any more, and would only grow. */

import { DAY, type Millis } from '../kernel/clock.ts';
import { forgetKeptReplies } from '../store/accounts/idempotency-keys.ts';
import { purgeRoleMailDays } from '../store/events/notices.ts';
import { purgeReplyOutcomes } from '../store/sending/outcomes.ts';
import { forgetEndedSuppressions } from '../store/sending/suppressions.ts';
import { forgetOldTraces } from '../store/sending/tripwires.ts';
import type { Store } from '../store/store.ts';
import { forgetStsPolicies } from '../store/tls/mta-sts-policies.ts';
import { forgetTlsResults } from '../store/tls/tls-results.ts';

/** Reports are tried for two days; the rest is for whoever looks into a failure. */
const TLS_RESULTS_KEPT_FOR_MS = 10 * DAY;
/** Longer than a digest may wait to be mailed. */
const ROLE_MAIL_KEPT_FOR_MS = 10 * DAY;

/** @param repliesKeptForMs how long a reply stands under its Idempotency-Key */
export const forgetWhatIsOver = (store: Store, now: Millis, repliesKeptForMs: Millis): Promise<void> =>
  store.write(async (tx) => {
    await forgetKeptReplies(tx, now - repliesKeptForMs);
    await forgetEndedSuppressions(tx, now);
    await forgetOldTraces(tx, now);
    await purgeReplyOutcomes(tx, now);
    await purgeRoleMailDays(tx, now - ROLE_MAIL_KEPT_FOR_MS);
    await forgetStsPolicies(tx, now);
    await forgetTlsResults(tx, now - TLS_RESULTS_KEPT_FOR_MS);
  });
