/** The doctor's visits of a daemon that serves: the last one's findings are kept. */

import type { Finding } from '../../doctor/finding.ts';
import type { DoctorVisit } from '../../resources/instance/service.ts';
import { findSetting, putSetting } from '../../store/settings.ts';
import type { Storage } from '../storage.ts';
import { examineInstance } from './examine-instance.ts';

const LAST_VISIT = 'doctor-visit';

export const findLastVisit = async ({ store }: Pick<Storage, 'store'>): Promise<DoctorVisit | null> => {
  const kept = await findSetting(store.read, LAST_VISIT);
  return kept && (JSON.parse(kept.toString()) as DoctorVisit);
};

export const visit = async (storage: Storage): Promise<DoctorVisit> => {
  const findings: Finding[] = await examineInstance(storage, { configPath: 'as started', isServing: true });
  const made = { at: storage.runtime.clock.now(), findings };
  await storage.store.write((tx) => putSetting(tx, LAST_VISIT, Buffer.from(JSON.stringify(made))));
  return made;
};
