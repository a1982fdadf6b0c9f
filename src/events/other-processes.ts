/**
 * Hears of events that were written from outside: a person at the command line decides beside the running daemon, and no
 * commit of another process tells us of itself. What this process publishes does not wait for it.
 */

import { SECOND } from '../kernel/clock.ts';
import type { Db } from '../store/store.ts';
import type { Events } from './events.ts';

const LOOK_EVERY_MS = SECOND;

export interface OtherProcesses {
  /** From now on; what was written before is told to nobody. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export const hearOtherProcesses = (events: Events, read: Db, onError: (error: unknown) => void): OtherProcesses => {
  let timer: NodeJS.Timeout | null = null;
  let looking: Promise<void> = Promise.resolve();
  let isStopped = false;
  const look = (): void => {
    looking = events
      .hearOthers(read)
      .catch(onError)
      .then(() => {
        if (!isStopped) timer = setTimeout(look, LOOK_EVERY_MS);
      });
  };
  return {
    start: async () => {
      await events.hearOthers(read);
      timer = setTimeout(look, LOOK_EVERY_MS);
    },
    stop: async () => {
      isStopped = true;
      if (timer) clearTimeout(timer);
      await looking;
    },
  };
};
