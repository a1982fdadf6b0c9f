/**
 * Which networks and workspaces may have broken a thread. Their tasks run alone until those that were in it have ended well,
 * and for a while longer where one breaks its own thread again: a second such mail does not reach the others' threads.
 */

import { BoundedMap } from '../kernel/bounded-map.ts';
import { type Clock, MINUTE, type Millis } from '../kernel/clock.ts';

export interface Suspicion {
  isSuspect(owner: string): boolean;
  /**
   * A task of the owner runs alone.
   * @returns what ends it, told whether the task broke its thread
   */
  begin(owner: string): (hasBroken: boolean) => void;
}

/** After a task has broken a thread of its own. */
const LASTS_MS: Millis = 10 * MINUTE;
/** Owners remembered; past it the oldest are forgotten. */
const MAX_OWNERS = 10_000;

export const createSuspicion = (clock: Clock): Suspicion => {
  const owners = new BoundedMap<string, { underWay: number; until: Millis }>(MAX_OWNERS);
  return {
    isSuspect: (owner) => {
      const known = owners.get(owner);
      return known !== undefined && (known.underWay > 0 || clock.now() < known.until);
    },
    begin: (owner) => {
      const known = owners.get(owner) ?? { underWay: 0, until: 0 };
      known.underWay += 1;
      owners.set(owner, known);
      return (hasBroken) => {
        known.underWay -= 1;
        if (hasBroken) known.until = clock.now() + LASTS_MS;
        if (known.underWay === 0 && clock.now() >= known.until && owners.get(owner) === known) owners.delete(owner);
      };
    },
  };
};
