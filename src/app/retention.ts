/** Purges expired rows of every family. */

import { IDEMPOTENCY_RETENTION_MS } from '../access/idempotency.ts';
import type { Config } from '../config/config.ts';
import { DAY, type Millis } from '../kernel/clock.ts';
import { lapseUnclaimed, purgeRemovedWorkspaces } from '../resources/workspaces/remove-workspace.ts';
import { deleteRetiredAddresses } from '../store/accounts/agents.ts';
import { purgeIdempotencyRecords } from '../store/accounts/idempotency-keys.ts';
import { purgeHeldNoticeHours, purgeRoleMailDays } from '../store/events/notices.ts';
import { purgeOauthClients } from '../store/oauth/oauth-clients.ts';
import { purgeOauthRecords } from '../store/oauth/oauth-records.ts';
import { purgeInvitations } from '../store/owners/invitations.ts';
import { purgeOwnerSessions } from '../store/owners/owner-sessions.ts';
import { purgeSignInLinks } from '../store/owners/sign-in-links.ts';
import { purgeMailDays } from '../store/sending/mail-days.ts';
import { purgeReplyOutcomes } from '../store/sending/outcomes.ts';
import { purgeEndedSuppressions } from '../store/sending/suppressions.ts';
import { purgeTripwireRows } from '../store/sending/tripwires.ts';
import type { Store } from '../store/store.ts';
import { purgeStsPolicies } from '../store/tls/mta-sts-policies.ts';
import { purgeTlsResults } from '../store/tls/tls-results.ts';
import { EVERY_HOUR, EVERY_MINUTE } from './jobs.ts';
import type { Part } from './part.ts';
import type { Storage } from './storage.ts';

/** Reports are retried for 2 days; the remainder serves the diagnosis of failures. */
const TLS_RESULTS_RETENTION_MS = 10 * DAY;
/** Exceeds the longest wait of a digest. */
const ROLE_MAIL_RETENTION_MS = 10 * DAY;

/** Exceeds the longest time over which links to an address are counted. */
const LINK_RETENTION_MS = 2 * DAY;

/** In the night, after the hour's purges and before the doctor. */
const EVERY_NIGHT = '37 3 * * *';
/** Free space that stays in the file for later writes. */
const SPARE_BYTES = 16 * 1024 ** 2;

/** Longer than an invitation is open: its page shows the outcome until then. */
const INVITATION_RETENTION_MS = 30 * DAY;

/** Registered clients end after so long without use. */
const CLIENT_RETENTION_MS = 90 * DAY;

const purgeExpired = (store: Store, now: Millis): Promise<void> =>
  store.write(async (tx) => {
    await purgeIdempotencyRecords(tx, now - IDEMPOTENCY_RETENTION_MS);
    await deleteRetiredAddresses(tx, now);
    await purgeSignInLinks(tx, now - LINK_RETENTION_MS);
    await purgeInvitations(tx, now - INVITATION_RETENTION_MS);
    await purgeOwnerSessions(tx, now);
    await purgeOauthRecords(tx, now);
    await purgeOauthClients(tx, now - CLIENT_RETENTION_MS);
    await purgeEndedSuppressions(tx, now);
    await purgeTripwireRows(tx, now);
    await purgeReplyOutcomes(tx, now);
    await purgeMailDays(tx, now);
    await purgeRoleMailDays(tx, now - ROLE_MAIL_RETENTION_MS);
    await purgeHeldNoticeHours(tx, now - DAY);
    await purgeStsPolicies(tx, now);
    await purgeTlsResults(tx, now - TLS_RESULTS_RETENTION_MS);
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

export const createRetention = (config: Config, { store, vault, activity, runtime: { clock } }: Storage) =>
  ({
    jobs: [
      { name: 'retention', pattern: EVERY_HOUR, run: () => purgeExpired(store, clock.now()) },
      { name: 'renew fingerprints', pattern: EVERY_HOUR, run: () => vault.renewFingerprints(store) },
      { name: 'lapse unclaimed', pattern: EVERY_HOUR, run: () => lapseUnclaimed({ store, clock, activity }) },
      { name: 'purge removed', pattern: EVERY_MINUTE, run: () => purgeRemovedWorkspaces(store, clock) },
      { name: 'release space', pattern: EVERY_NIGHT, run: async () => void (await releaseSpace(store)) },
      { name: 'purge activity', pattern: EVERY_HOUR, run: () => activity.purge(store, config.activity.keep_days) },
    ],
  }) satisfies Part;
