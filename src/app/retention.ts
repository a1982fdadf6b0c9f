/** Deletes expired rows, and gives their space back. */

import type { Config } from '../config/config.ts';
import { measureMail } from '../inbound/mail-quota.ts';
import type { Millis } from '../kernel/clock.ts';
import { endSubscription } from '../notices/push/end-subscription.ts';
import { lapseUnclaimed, purgeRemovedWorkspaces } from '../resources/workspaces/remove-workspace.ts';
import { purgeSystemMail } from '../resources/workspaces/system-senders.ts';
import { purgeExpired } from '../store/accounts/expired-rows.ts';
import { listUnusedSubscriptions } from '../store/owners/push-subscriptions.ts';
import type { Store } from '../store/store.ts';
import { EVERY_HOUR, EVERY_MINUTE } from './jobs.ts';
import type { Part } from './part.ts';
import type { Storage } from './storage.ts';

/** In the night, after the hour's purges and before the doctor. */
const EVERY_NIGHT = '37 3 * * *';
/** Free space that stays in the file for later writes. */
const SPARE_BYTES = 16 * 1024 ** 2;

const purge = (store: Store, now: Millis): Promise<void> =>
  store.write(async (tx) => {
    for (const unused of await listUnusedSubscriptions(tx.db, now)) await endSubscription(tx, unused, now);
    await purgeExpired(tx, now);
  });

/**
 * Works in small steps, with mail stored in between.
 * @returns bytes that are still free in the file; null: it is not possible
 */
export const releaseSpace = async (
  store: Pick<Store, 'releaseSpace'>,
  spareBytes: number = SPARE_BYTES,
): Promise<number | null> => {
  let before = Number.POSITIVE_INFINITY;
  for (;;) {
    const free = await store.releaseSpace();
    // A step that gave nothing back is the last.
    if (free === null || free <= spareBytes || free >= before) return free;
    before = free;
  }
};

export const createRetention = (
  config: Config,
  { store, plans, vault, activity, systemAgents, runtime: { clock } }: Storage,
) => {
  const senders = Object.values(systemAgents ?? {});
  return {
    jobs: [
      { name: 'retention', pattern: EVERY_HOUR, run: () => purge(store, clock.now()) },
      { name: 'purge system mail', pattern: EVERY_HOUR, run: () => purgeSystemMail(store, senders, clock.now()) },
      { name: 'renew fingerprints', pattern: EVERY_HOUR, run: () => vault.renewFingerprints(store) },
      { name: 'lapse unclaimed', pattern: EVERY_HOUR, run: () => lapseUnclaimed({ store, clock, activity }) },
      { name: 'purge removed', pattern: EVERY_MINUTE, run: () => purgeRemovedWorkspaces(store, clock) },
      { name: 'measure mail', pattern: EVERY_NIGHT, run: () => measureMail(store, plans, clock.now()) },
      { name: 'release space', pattern: EVERY_NIGHT, run: async () => void (await releaseSpace(store)) },
      { name: 'purge activity', pattern: EVERY_HOUR, run: () => activity.purge(store, config.activity.keep_days) },
    ],
  } satisfies Part;
};
