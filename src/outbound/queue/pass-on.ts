/** Passes deliveries on to the boxes that send to their destinations; the box that leads does. */

import { type Clock, MINUTE, type Millis, SECOND } from '../../kernel/clock.ts';
import type { RunId } from '../../kernel/ids.ts';
import type { Delivery } from '../../store/sending/deliveries.ts';
import { voidLeases } from '../../store/sending/delivery-queue.ts';
import { passDelivery, returnPassed } from '../../store/sending/passed-deliveries.ts';
import type { Store } from '../../store/store.ts';
import type { ActiveQueue } from './active-queue.ts';
import type { Defer } from './defer.ts';
import type { DestinationLimits } from './destination-limits.ts';
import type { Route } from './find-route.ts';
import { laneOf, ownerOf } from './lanes.ts';
import type { SessionCache } from './session-cache.ts';

const LOOK_EVERY_MS: Millis = SECOND;
/** A box whose connection is lost for less is still at work. */
const GONE_AFTER_MS: Millis = 10 * SECOND;
/** What a box has not taken by then is due again. */
const TAKEN_WITHIN_MS: Millis = 10 * MINUTE;
/** Deliveries that one box may have; what is due beyond them waits in the store. */
const MOST_PASSED = 2_000;
/** Until a lane's former box, or a box with all that it may have, is asked again. */
const ASK_AGAIN_MS: Millis = 5 * SECOND;

export interface PassOnNeeds {
  store: Store;
  clock: Clock;
  limits: DestinationLimits;
  sessions: Pick<SessionCache, 'dropAllOf'>;
  active: Pick<ActiveQueue, 'has'>;
  defer: Defer;
}

export interface PassOn {
  /** This box leads from now on. */
  lead(): Promise<void>;
  /** Looks which boxes there are; what those that are gone had leased is due again. */
  look(): Promise<void>;
  /** @returns false where this box is to attempt it */
  passOn(delivery: Delivery, route: Route): Promise<boolean>;
}

export const createPassOn = (
  { store, clock, limits, sessions, active, defer }: PassOnNeeds,
  most = MOST_PASSED,
): PassOn => {
  const { runId } = store;
  let serving: readonly [RunId, ...RunId[]] = [runId];
  let lookedAt: Millis = Number.NEGATIVE_INFINITY;
  const seenAt = new Map<RunId, Millis>();

  const find = async (): Promise<void> => {
    lookedAt = clock.now();
    const found = await store.findRuns();
    serving = [runId, ...found.filter((run) => run !== runId)];
    for (const run of serving) seenAt.set(run, lookedAt);
  };

  const isBusyWith = ({ name }: { name: string }): boolean => active.has(name) || limits.inFlightWith(name) > 0;

  return {
    lead: async () => {
      await find();
      await store.write(async (tx) => {
        await voidLeases(tx, serving);
        await returnPassed(tx, runId);
      });
    },
    look: async () => {
      if (Math.abs(clock.now() - lookedAt) < LOOK_EVERY_MS) return;
      await find();
      const gone = [...seenAt].filter(([, at]) => lookedAt - at >= GONE_AFTER_MS);
      if (gone.length === 0) return;
      for (const [run] of gone) seenAt.delete(run);
      await store.write((tx) => voidLeases(tx, [...seenAt.keys()]));
    },
    passOn: async (delivery, route) => {
      const hosts = route.map(({ name }) => name);
      const [first, ...others] = hosts;
      if (serving.length === 1 || first === undefined) return false;
      const lane = laneOf([first, ...others]);
      const to = ownerOf(lane, serving);
      if (to === runId) return false;
      // No host has such a name.
      const waiting = `(lane ${lane})`;
      if (!limits.isBackedOff(waiting) && !route.some(isBusyWith)) {
        for (const host of hosts) await sessions.dropAllOf(host);
        const until = clock.now() + TAKEN_WITHIN_MS;
        const passed = { by: runId, to, lane, until, most };
        if (await store.write((tx) => passDelivery(tx, delivery.id, passed))) return true;
      }
      limits.holdBack(waiting, ASK_AGAIN_MS);
      await defer(delivery, waiting);
      return true;
    },
  };
};
