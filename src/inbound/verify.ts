/**
 * Verifies a mail in the worker threads: parses and authenticates it. Where the body breaks a thread, only the header
 * is parsed and a defect is stored; where that fails too, 451 defers the mail.
 */

import { SmtpError } from '../kernel/errors.ts';
import { PoolBusy } from '../workers/pool-busy.ts';
import type { VerifiedMessage } from '../workers/tasks.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';
import type { Arrival } from './arrival.ts';

export interface VerifyNeeds {
  workers: Pick<WorkerPool, 'run'>;
  hostname: string;
  onError: (error: unknown) => void;
}

export const verify = async (needs: VerifyNeeds, arrival: Arrival): Promise<VerifiedMessage> => {
  const { raw, envelope, recipients, quotaSubject } = arrival;
  const asReport = recipients.some(({ kind }) => kind !== 'mailbox');
  const mail = { raw, envelope, hostname: needs.hostname, asReport };
  const run = (headerOnly: boolean) => needs.workers.run({ kind: 'verify', ...mail, headerOnly }, quotaSubject);
  const message = (await attempt(needs, () => run(false))) ?? (await attempt(needs, () => run(true)));
  if (message) return message;
  throw new SmtpError({ code: 451, enhanced: '4.3.0', text: 'This mail could not be checked, please try again later' });
};

/** @returns null where the task failed */
const attempt = async (
  { onError }: VerifyNeeds,
  run: () => Promise<VerifiedMessage>,
): Promise<VerifiedMessage | null> => {
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
