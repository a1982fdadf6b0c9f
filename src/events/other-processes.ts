/**
 * Polls for what other processes have written: the CLI writes to the data file beside the daemon, and SQLite does not
 * notify of commits. This process's own writes do not depend on it.
 */

import { SECOND } from '../kernel/clock.ts';

const POLL_EVERY_MS = SECOND;

export interface OtherProcesses {
  /** Resolves once the starting positions are read. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** @param polls one for each kind of change; the first call of each reads its starting position */
export const pollOtherProcesses = (
  polls: readonly (() => Promise<void>)[],
  onError: (error: unknown) => void,
): OtherProcesses => {
  let timer: NodeJS.Timeout | null = null;
  let polling: Promise<unknown> = Promise.resolve();
  let isStopped = false;
  const pollAll = (): Promise<unknown> => Promise.all(polls.map((poll) => poll().catch(onError)));
  const pollAgain = (): void => {
    polling = pollAll().then(() => {
      if (!isStopped) timer = setTimeout(pollAgain, POLL_EVERY_MS);
    });
  };
  return {
    start: async () => {
      await Promise.all(polls.map((poll) => poll()));
      timer = setTimeout(pollAgain, POLL_EVERY_MS);
    },
    stop: async () => {
      isStopped = true;
      if (timer) clearTimeout(timer);
      await polling;
    },
  };
};
