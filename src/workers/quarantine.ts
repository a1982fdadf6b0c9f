/**
 * Quarantine: runs the tasks of a network or workspace apart from all others while a suspect task of it is repeated.
 * Lasts 10 minutes longer where the repetition ended its thread too.
 */

import { BoundedMap } from '../kernel/bounded-map.ts';
import { type Clock, MINUTE, type Millis } from '../kernel/clock.ts';

export interface Quarantine {
  isQuarantined(tenant: string): boolean;
  /**
   * Begins a task in isolation.
   * @returns a function to call at its end, with whether the task crashed its thread
   */
  begin(tenant: string): (hasCrashed: boolean) => void;
}

/** After a crash in isolation. */
const LASTS_MS: Millis = 10 * MINUTE;
/** Tenants remembered; beyond it the oldest are evicted. */
const MAX_TENANTS = 10_000;

export const createQuarantine = (clock: Clock): Quarantine => {
  const tenants = new BoundedMap<string, { inFlight: number; until: Millis }>(MAX_TENANTS);
  return {
    isQuarantined: (tenant) => {
      const known = tenants.get(tenant);
      return known !== undefined && (known.inFlight > 0 || clock.now() < known.until);
    },
    begin: (tenant) => {
      const known = tenants.get(tenant) ?? { inFlight: 0, until: 0 };
      known.inFlight += 1;
      tenants.set(tenant, known);
      return (hasCrashed) => {
        known.inFlight -= 1;
        if (hasCrashed) known.until = clock.now() + LASTS_MS;
        if (known.inFlight === 0 && clock.now() >= known.until && tenants.get(tenant) === known) tenants.delete(tenant);
      };
    },
  };
};
