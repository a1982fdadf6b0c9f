/** What has had its time: it is not asked for any more, and would only grow. */

import type { Millis } from '../kernel/clock.ts';
import { forgetKeptReplies } from '../store/idempotency-keys.ts';
import type { Store } from '../store/store.ts';
import { forgetEndedSuppressions } from '../store/suppressions.ts';
import { forgetOldTraces } from '../store/tripwires.ts';

/** @param repliesKeptForMs how long a reply stands under its Idempotency-Key */
export const forgetWhatIsOver = (store: Store, now: Millis, repliesKeptForMs: Millis): Promise<void> =>
  store.write(async (tx) => {
    await forgetKeptReplies(tx, now - repliesKeptForMs);
    await forgetEndedSuppressions(tx, now);
    await forgetOldTraces(tx, now);
  });
