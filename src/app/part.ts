/** A part of the daemon: its start, its stop, its jobs. */

import type { Job } from './jobs.ts';

export interface Part {
  start?(): Promise<void> | void;
  stop?(): Promise<void> | void;
  jobs?: readonly Job[];
}

/**
 * Starts the stages in order, and the parts of a stage in order. Stops the stages in reverse order and the parts of a stage
 * concurrently, so that parts that drain share the time that a stop may take.
 */
export const createStages = (stages: readonly (readonly Part[])[]) => {
  const stop = async (): Promise<void> => {
    for (const parts of stages.toReversed()) await Promise.all(parts.map(async (part) => part.stop?.()));
  };
  return {
    /** Rejects with the error of a part that fails to start, after stopping all parts. */
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
