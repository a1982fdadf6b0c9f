/** The daily work on domains: checks each again, ends unverified claims, deletes retired keys. */

import type { ActivityLog } from '../activity/activity-log.ts';
import { isWithin } from '../kernel/address.ts';
import { type Clock, DAY, HOUR } from '../kernel/clock.ts';
import { hasMailboxes, listUnchecked, listUnverifiedClaims, updateDomain } from '../store/accounts/domain-claims.ts';
import { type Domain, findDomainById } from '../store/accounts/domains.ts';
import type { Store } from '../store/store.ts';
import type { DomainChecks } from './check/domain-checks.ts';
import { removeDomain } from './remove-domain.ts';

export interface RecheckNeeds {
  store: Store;
  clock: Clock;
  checks: DomainChecks;
  activity: Pick<ActivityLog, 'recordOwn'>;
  onError: (error: unknown) => void;
}

/** Each domain is due once a day; an hourly job that finds it due at 22 hours does not drift. */
const RECHECK_AFTER_MS = 22 * HOUR;
const CLAIM_LAPSES_AFTER_MS = 30 * DAY;

/** Concurrent checks, and domains read at once. */
const PARALLEL = 4;

const toAct = ({ workspaceId, name, id }: Domain, detail: Record<string, string>) => ({
  workspaceId,
  subject: name,
  detail: { domain_id: id, ...detail },
});

export const createDomainJobs = ({ store, clock, checks, activity, onError }: RecheckNeeds) => {
  let isStopped = false;

  const defer = (id: Domain['id']): Promise<void> =>
    store.write((tx) => updateDomain(tx, id, { lastCheckedAt: clock.now() }));

  const recheck = async (domain: Domain): Promise<void> => {
    // RFC 6761 section 6.3: no name server has these names.
    if (isWithin(domain.name, 'localhost')) return defer(domain.id);
    try {
      const check = await checks.run(domain);
      await store.write(async (tx) => {
        const recorded = await checks.record(tx, domain.id, check);
        if (recorded.kind === 'taken') await updateDomain(tx, domain.id, { lastCheckedAt: clock.now() });
        if (recorded.kind !== 'recorded' || recorded.turn === null) return;
        await activity.recordOwn(tx, 'domain.check', toAct(domain, { status: recorded.turn }));
      });
    } catch (error) {
      onError(error);
      // Due again tomorrow, so that a failing check does not block the others.
      await defer(domain.id);
    }
  };

  /** Checks the domains that were due at its start. */
  const recheckDue = async (): Promise<void> => {
    const before = clock.now() - RECHECK_AFTER_MS;
    while (!isStopped) {
      const due = await listUnchecked(store.read, before, PARALLEL);
      await Promise.all(due.map(recheck));
      if (due.length < PARALLEL) return;
    }
  };

  const lapse = (id: Domain['id']): Promise<void> =>
    store.write(async (tx) => {
      const domain = await findDomainById(tx.db, id);
      if (domain?.status !== 'pending' || (await hasMailboxes(tx.db, id))) return;
      await removeDomain(tx, domain);
      await activity.recordOwn(tx, 'domain.remove', toAct(domain, { reason: 'not verified within 30 days' }));
    });

  return {
    recheckDue,
    lapseClaims: async (): Promise<void> => {
      for (const { id } of await listUnverifiedClaims(store.read, clock.now() - CLAIM_LAPSES_AFTER_MS)) await lapse(id);
    },
    /** Ends the loop after the checks in progress. */
    stop: (): void => {
      isStopped = true;
    },
  };
};
