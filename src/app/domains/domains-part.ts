/** The daemon's checks of domains, and the daily work on them. */

import { createDomainJobs } from '../../domains/recheck.ts';
import type { Notices } from '../../notices/notices.ts';
import { EVERY_HOUR } from '../jobs.ts';
import type { Processing } from '../processing.ts';
import type { Storage } from '../storage.ts';
import { createChecks } from './domain-checks.ts';

export type Domains = ReturnType<typeof createDomainsPart>;

export const createDomainsPart = (
  storage: Storage,
  { budget, events, onError }: Processing,
  notices: Pick<Notices, 'write'>,
) => {
  const { store, activity, runtime } = storage;
  const checks = createChecks(storage, events, budget.domainChecks, notices.write);
  const jobs = createDomainJobs({ store, clock: runtime.clock, checks, activity, onError });
  return {
    checks,
    stop: jobs.stop,
    jobs: [
      { name: 'lapse domain claims', pattern: EVERY_HOUR, run: jobs.lapseClaims },
      {
        name: 'check domains',
        pattern: EVERY_HOUR,
        // Without the vault's key no signature can be made, so nothing is verified.
        run: async () => {
          if (storage.vaultKey) await jobs.recheckDue();
        },
      },
    ],
  };
};
