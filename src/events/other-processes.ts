/**
 * Hears of what was written from outside: a person at the command line decides beside the running daemon, and no commit of
 * another process tells us of itself. What this process writes does not wait for it.
 */

import { SECOND } from '../kernel/clock.ts';

const LOOK_EVERY_MS = SECOND;

export interface OtherProcesses {
  /** From now on. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** @param looks each looks for one kind of news; the first time, for where to begin */
export const pollOtherProcesses = (
  looks: readonly (() => Promise<void>)[],
  onError: (error: unknown) => void,
): OtherProcesses => {
  let timer: NodeJS.Timeout | null = null;
  let looking: Promise<unknown> = Promise.resolve();
  let isStopped = false;
  const lookAll = (): Promise<unknown> => Promise.all(looks.map((look) => look().catch(onError)));
  const lookAgain = (): void => {
    looking = lookAll().then(() => {
      if (!isStopped) timer = setTimeout(lookAgain, LOOK_EVERY_MS);
    });
  };
  return {
    start: async () => {
      await Promise.all(looks.map((look) => look()));
      timer = setTimeout(lookAgain, LOOK_EVERY_MS);
    },
    stop: async () => {
      isStopped = true;
      if (timer) clearTimeout(timer);
      await looking;
    },
  };
};
