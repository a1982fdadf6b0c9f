/**
 * What a mail is, read and checked in the worker threads. A mail that breaks them is taken all the same: it is stored raw,
 * with what could be read of it, and marked. Only where the threads have no room is its client told to come again.
 */

import { SmtpError } from '../kernel/errors.ts';
import type { Authentication } from '../mail/authenticate.ts';
import { HEADER_ONLY, UNCHECKED } from '../mail/defects.ts';
import { type HeadLimits, readHead } from '../mail/head.ts';
import { splitMessage } from '../mail/header-section.ts';
import { examinedOf, judgedBytes } from '../workers/examined.ts';
import type { WorkerPool } from '../workers/pool.ts';
import { PoolBusy } from '../workers/pool-busy.ts';
import type { Examined } from '../workers/tasks.ts';
import type { Arrival } from './arrival.ts';

export interface ExamineNeeds {
  workers: Pick<WorkerPool, 'run'>;
  hostname: string;
  onError: (error: unknown) => void;
}

/** On the main thread, of a mail that broke a worker by its header: too little for anything to take the square of it. */
const HERE: HeadLimits = { headerBytes: 32 * 1024, headerFields: 200, headerValueChars: 1024 };

export const examine = async (needs: ExamineNeeds, arrival: Arrival): Promise<Examined> => {
  const { raw, envelope, destinations, occupant } = arrival;
  const asReport = destinations.some(({ kind }) => kind === 'return-path');
  const mail = { raw, envelope, hostname: needs.hostname, asReport };
  return (
    (await attempt(needs, () => needs.workers.run({ kind: 'examine', ...mail }, occupant))) ??
    (await attempt(needs, () => needs.workers.run({ kind: 'examine-header', ...mail }, occupant))) ??
    (await readHere(mail))
  );
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

const readHere = async (task: Pick<Arrival, 'raw' | 'envelope'> & { hostname: string }): Promise<Examined> => {
  const bytes = judgedBytes(task);
  const { head } = readHead(splitMessage(bytes).header, HERE);
  const mail = { ...head, text: '', attachments: [], report: null, defects: [UNCHECKED, HEADER_ONLY, ...head.defects] };
  return examinedOf(task, bytes, mail, unchecked(task.hostname));
};

/** Nothing is aligned and nothing refused. */
const unchecked = (hostname: string): Authentication => ({
  spf: 'temperror',
  dkim: 'temperror',
  dmarc: 'temperror',
  arc: 'none',
  arcSealer: null,
  fromDomain: null,
  dmarcPolicy: null,
  aligned: false,
  header: `Authentication-Results: ${hostname}; dkim=temperror; spf=temperror; dmarc=temperror\r\n`,
});
