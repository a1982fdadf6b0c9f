/**
 * What a mail is, read and checked in the worker threads. A mail whose body breaks them is taken all the same: it is stored
 * raw, with its header, and marked. One whose sender could not be checked is not: its client is told to come again.
 */

import { SmtpError } from '../kernel/errors.ts';
import { PoolBusy } from '../workers/pool-busy.ts';
import type { Examined } from '../workers/tasks.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';
import type { Arrival } from './arrival.ts';

export interface ExamineNeeds {
  workers: Pick<WorkerPool, 'run'>;
  hostname: string;
  onError: (error: unknown) => void;
}

export const examine = async (needs: ExamineNeeds, arrival: Arrival): Promise<Examined> => {
  const { raw, envelope, destinations, occupant } = arrival;
  const asReport = destinations.some(({ kind }) => kind === 'return-path');
  const mail = { raw, envelope, hostname: needs.hostname, asReport };
  const examined =
    (await attempt(needs, () => needs.workers.run({ kind: 'examine', ...mail }, occupant))) ??
    (await attempt(needs, () => needs.workers.run({ kind: 'examine-header', ...mail }, occupant)));
  if (examined) return examined;
  throw new SmtpError({ code: 451, enhanced: '4.3.0', text: 'This mail could not be checked, please try again later' });
};

/** @returns null where the mail broke it */
const attempt = async ({ onError }: ExamineNeeds, run: () => Promise<Examined>): Promise<Examined | null> => {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof PoolBusy) {
      throw new SmtpError({ code: 451, enhanced: '4.3.0', text: 'Busy, please try again later', cause });
    }
    onError(cause);
    return null;
  }
};
