/** The doctor's visits to a running daemon: keeps the last findings; logs those of the night, and mails the new ones. */

import { type Finding, isFault, isSound } from '../../doctor/finding.ts';
import type { Log } from '../../kernel/log.ts';
import type { Notices } from '../../notices/notices.ts';
import type { DoctorVisit } from '../../resources/instance/service.ts';
import { findSetting, putSetting } from '../../store/settings.ts';
import type { Job } from '../jobs.ts';
import type { Storage } from '../storage.ts';
import { examineInstance } from './examine-instance.ts';

/** A running daemon has opened all of it. */
const NO_FAULTS = { dataFault: null, keyFault: null, plansFault: null };

const LAST_VISIT = 'doctor-visit';

export const findLastVisit = async ({ store }: Pick<Storage, 'store'>): Promise<DoctorVisit | null> => {
  const kept = await findSetting(store.read, LAST_VISIT);
  return kept && (JSON.parse(kept.toString()) as DoctorVisit);
};

export const visit = async (storage: Storage): Promise<DoctorVisit> => {
  const findings: Finding[] = await examineInstance(
    { config: storage.config, runtime: storage.runtime, instance: storage, ...NO_FAULTS },
    { configPath: 'as started', configFaults: [], isServing: true },
  );
  const made = { at: storage.runtime.clock.now(), findings };
  await storage.store.write((tx) => putSetting(tx, LAST_VISIT, Buffer.from(JSON.stringify(made))));
  return made;
};

/**
 * Details change from night to night. The fix of a failure names its domain; a warning is mailed once for all domains, because
 * those of signups come and go.
 */
const toIdentity = ({ name, status, fix }: Finding): string => `${name} ${status} ${status === 'fail' ? fix : ''}`;

/** Before working hours, and not on the hour, when most jobs run. */
const EVERY_NIGHT = '23 4 * * *';

export const createNightlyVisit = (log: Log, storage: Storage, notices: Pick<Notices, 'write'>): { jobs: Job[] } => {
  const { hostname, operator } = storage.config;

  /** What the visit before, of the night or in the console, did not find. */
  const tellOperator = async (faults: readonly Finding[], before: DoctorVisit | null): Promise<void> => {
    const { address } = operator;
    const known = new Set(before?.findings.map(toIdentity));
    const fresh = faults.filter((fault) => !known.has(toIdentity(fault)));
    if (address === null || fresh.length === 0) return;
    const data = { hostname, faults: fresh };
    await storage.store.write((tx) => notices.write(tx, { kind: 'server-faults', data, ownerEmail: address }));
  };

  return {
    jobs: [
      {
        name: 'doctor',
        pattern: EVERY_NIGHT,
        run: async () => {
          const before = await findLastVisit(storage);
          const { findings } = await visit(storage);
          const faults = findings.filter(isFault);
          for (const { name, status, detail, fix } of faults) log.warn({ check: name, status, detail, fix }, 'doctor');
          log.info({ ok: isSound(findings), checks: findings.length }, 'doctor');
          await tellOperator(faults, before);
        },
      },
    ],
  };
};
