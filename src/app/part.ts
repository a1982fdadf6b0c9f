/** A part of the daemon: how it is started and stopped, and what it does by the clock. */

import type { Job } from './jobs.ts';

export interface Part {
  start?(): Promise<void> | void;
  stop?(): Promise<void> | void;
  jobs?: readonly Job[];
}

/**
 * Starts stage after stage, the parts of each in their order, and stops in the reverse order, the parts of a stage side by
 * side: what drains shares the time that a stop may take.
 */
export const createStages = (stages: readonly (readonly Part[])[]) => {
  const stop = async (): Promise<void> => {
    for (const parts of stages.toReversed()) await Promise.all(parts.map(async (part) => part.stop?.()));
  };
  return {
    /** Where a part does not start, those before it are stopped, and its error is thrown. */
    start: async (): Promise<void> => {
      try {
        for (const part of stages.flat()) await part.start?.();
      } catch (error) {
        await stop();
        throw error;
      }
    },
    stop,
  };
};
