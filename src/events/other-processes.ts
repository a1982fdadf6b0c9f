/**
 * Polls for changes by other processes: the CLI and other boxes write beside the daemon, and SQLite does not notify of
 * commits. This process's own writes do not depend on it.
 */

import { type Millis, SECOND } from '../kernel/clock.ts';
import { createWakeLoop } from '../kernel/wake-loop.ts';

const POLL_EVERY_MS = SECOND;

export interface OtherProcesses {
  /** Resolves once the starting positions are read. */
  start(): Promise<void>;
  /** Polls now. */
  wake(): void;
  stop(): Promise<void>;
}

/** @param polls one for each kind of change; the first call of each reads its starting position */
export const pollOtherProcesses = (
  polls: readonly (() => Promise<void>)[],
  onError: (error: unknown) => void,
): OtherProcesses => {
  const pollAll = async (): Promise<Millis> => {
    await Promise.all(polls.map((poll) => poll().catch(onError)));
    return POLL_EVERY_MS;
  };
  const loop = createWakeLoop(pollAll, () => POLL_EVERY_MS);
  return {
    start: async () => {
      await Promise.all(polls.map((poll) => poll()));
      loop.start();
    },
    wake: () => void loop.run(),
    stop: loop.stop,
  };
};
