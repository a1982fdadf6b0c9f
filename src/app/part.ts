/** A part of the daemon: its start, its stop, its jobs. */

import type { Log } from '../kernel/log.ts';
import type { Store, Succession } from '../store/store.ts';
import type { Job } from './jobs.ts';

export interface Part {
  start?(): Promise<void> | void;
  stop?(): Promise<void> | void;
  /** Looks for work that another box has left for it. */
  wake?(): void;
  jobs?: readonly Job[];
}

/** What runs on the box that leads alone. */
export interface Leading {
  parts: readonly Part[];
  store: Pick<Store, 'led'>;
  succession: Succession | undefined;
  log: Log;
}

/**
 * Starts the stages in order, and the parts of a stage in order; then those that lead, once this box does. Stops the stages
 * in reverse order and the parts of a stage concurrently, so that parts that drain share the time that a stop may take.
 */
export const createStages = (
  stages: readonly (readonly Part[])[],
  { parts: leading, store: { led }, succession, log }: Leading,
) => {
  let isStopped = false;
  /** Resolves once the parts that lead have started, or one has failed. */
  let starting: Promise<void> = Promise.resolve();
  const stopAll = (parts: readonly Part[]) => Promise.all(parts.map(async (part) => part.stop?.()));
  const stop = async (): Promise<void> => {
    isStopped = true;
    const [last = [], ...before] = stages.toReversed();
    await Promise.all([stopAll(last), starting.then(() => stopAll(leading))]);
    for (const parts of before) await stopAll(parts);
  };
  const startAll = async (parts: readonly Part[]): Promise<void> => {
    for (const part of parts) if (!isStopped) await part.start?.();
  };
  return {
    /** Rejects with the error of a part that fails to start, after stopping all parts. */
    start: async (): Promise<void> => {
      try {
        await startAll(stages.flat());
        if (led === null) await startAll(leading);
      } catch (error) {
        await stop();
        throw error;
      }
      led
        ?.then(async () => {
          const begun = startAll(leading);
          starting = begun.catch(() => undefined);
          await begun;
          log.info({}, 'this box leads');
        })
        .catch((err) => {
          log.error({ err }, 'this box cannot lead');
          succession?.onLost('It cannot do what the box that leads does; its log says why.');
        });
    },
    stop,
  };
};
