/** Ends a push subscription that its person did not end: the browser gave it up, or its session was not used. */

import type { Millis } from '../../kernel/clock.ts';
import {
  deletePushSubscription,
  listSubscriptionsOf,
  type PushSubscription,
} from '../../store/owners/push-subscriptions.ts';
import { findToldSettings, putToldSettings } from '../../store/owners/told-settings.ts';
import type { Tx } from '../../store/store.ts';

/** What no other browser tells the person is mailed from now on: held mail would expire unseen. */
export const endSubscription = async (tx: Tx, ended: PushSubscription, now: Millis): Promise<void> => {
  const { sessionHash, endpoint, ownerId } = ended;
  if (!(await deletePushSubscription(tx, sessionHash, endpoint))) return;
  const left = await listSubscriptionsOf(tx.db, ownerId, now);
  const isLost = (kind: 'tellsHeld' | 'tellsNeeds') => ended[kind] && !left.some((each) => each[kind]);
  const { mailsHeld, mailsNeeds, ...settings } = await findToldSettings(tx.db, ownerId);
  await putToldSettings(tx, {
    ...settings,
    mailsHeld: isLost('tellsHeld') || mailsHeld,
    mailsNeeds: isLost('tellsNeeds') || mailsNeeds,
  });
};
