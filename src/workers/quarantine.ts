/**
 * Networks and workspaces that run apart from all others: from the moment that a task of theirs may have ended its thread
 * until its second attempt is over, and for 10 minutes where that ended its thread too.
 */

import { BoundedMap } from '../kernel/bounded-map.ts';
import { type Clock, MINUTE, type Millis } from '../kernel/clock.ts';

export interface Quarantine {
  isQuarantined(owner: string): boolean;
  /**
   * Begins a task in isolation.
   * @returns a function to call at its end, with whether the task crashed its thread
   */
  begin(owner: string): (hasCrashed: boolean) => void;
}

/** After a crash in isolation. */
const LASTS_MS: Millis = 10 * MINUTE;
/** Owners remembered; beyond it the oldest are evicted. */
const MAX_OWNERS = 10_000;

export const createQuarantine = (clock: Clock): Quarantine => {
  const owners = new BoundedMap<string, { inFlight: number; until: Millis }>(MAX_OWNERS);
  return {
    isQuarantined: (owner) => {
      const known = owners.get(owner);
      return known !== undefined && (known.inFlight > 0 || clock.now() < known.until);
    },
    begin: (owner) => {
      const known = owners.get(owner) ?? { inFlight: 0, until: 0 };
      known.inFlight += 1;
      owners.set(owner, known);
      return (hasCrashed) => {
        known.inFlight -= 1;
        if (hasCrashed) known.until = clock.now() + LASTS_MS;
        if (known.inFlight === 0 && clock.now() >= known.until && owners.get(owner) === known) owners.delete(owner);
      };
    },
  };
};
