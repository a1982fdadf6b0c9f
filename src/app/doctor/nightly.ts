/** The doctor's nightly visit: its findings are logged. */

import { isSound } from '../../doctor/finding.ts';
import type { Log } from '../../kernel/log.ts';
import type { Job } from '../jobs.ts';
import type { Storage } from '../storage.ts';
import { visit } from './visits.ts';

/** Before working hours, and not on the hour, when most jobs run. */
const EVERY_NIGHT = '23 4 * * *';

export const createNightlyVisit = (log: Log, storage: Storage): { jobs: Job[] } => ({
  jobs: [
    {
      name: 'doctor',
      pattern: EVERY_NIGHT,
      run: async () => {
        const { findings } = await visit(storage);
        for (const { name, status, detail, fix } of findings) {
          if (status === 'warn' || status === 'fail') log.warn({ check: name, status, detail, fix }, 'doctor');
        }
        log.info({ ok: isSound(findings), checks: findings.length }, 'doctor');
      },
    },
  ],
});
