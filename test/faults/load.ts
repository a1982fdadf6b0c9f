/** Work that goes on side by side until the daemon is gone, and what of it was acknowledged. */

import type { DaemonProcess } from '../harness/process.ts';
import { sendMail } from '../harness/smtp/send-mail.ts';

export interface LoadResult {
  /** Subjects, in the order of their acknowledgements. */
  readonly acknowledged: string[];
  /** How many were begun. */
  readonly begun: number;
}

export interface LoadOptions {
  readonly workers: number;
  /** Acknowledgements after which the daemon gets the signal, before anything else is done. */
  readonly endAfter: number;
  readonly signal: 'SIGKILL' | 'SIGTERM';
}

/**
 * Repeats `work`, each time with a new subject, and ends the daemon in the middle of it. Resolves once that has ended.
 * @param work resolves once the daemon has acknowledged; what it rejects with was not acknowledged
 */
export const loadUntilEnd = async (
  daemon: DaemonProcess,
  name: string,
  work: (subject: string) => Promise<unknown>,
  { workers, endAfter, signal }: LoadOptions,
): Promise<LoadResult> => {
  const acknowledged: string[] = [];
  let begun = 0;
  let isOver = false;
  const over = daemon.ended.then(() => {
    isOver = true;
  });
  const worker = async (): Promise<void> => {
    while (!isOver) {
      begun += 1;
      const subject = `${name} ${begun}`;
      const done = work(subject).then(
        () => {
          if (acknowledged.push(subject) === endAfter) void daemon.end(signal);
        },
        () => undefined,
      );
      // A client may never hear of the end of a connection that it was writing to.
      await Promise.race([done, over]);
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  return { acknowledged, begun };
};

/** A mail from outside with that subject; resolves with the 250 after its DATA. */
export const mailWithSubject = (port: number, to: string) => (subject: string) =>
  sendMail(port, { to: [to], headers: { Subject: subject } });
