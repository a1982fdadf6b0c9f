/** Passes deliveries on to the boxes that send to their destinations; the box that leads does. */

import { type Clock, MINUTE, type Millis, SECOND } from '../../kernel/clock.ts';
import type { RunId } from '../../kernel/ids.ts';
import type { Delivery } from '../../store/sending/deliveries.ts';
import { voidLeases } from '../../store/sending/delivery-queue.ts';
import { isLaneHeldElsewhere, passDelivery, returnPassed } from '../../store/sending/passed-deliveries.ts';
import type { Store, Tx } from '../../store/store.ts';
import type { ActiveQueue } from './active-queue.ts';
import type { Defer } from './defer.ts';
import type { DestinationLimits } from './destination-limits.ts';
import type { Destination, Route } from './find-route.ts';
import { laneOf, ownerOf } from './lanes.ts';
import type { SessionCache } from './session-cache.ts';

const LOOK_EVERY_MS: Millis = SECOND;
/** A box may lose its connection for a shorter time, and still works. */
const GONE_AFTER_MS: Millis = 10 * SECOND;
/** What a box has not taken by then is due again. */
const TAKEN_WITHIN_MS: Millis = 10 * MINUTE;
/** Deliveries that one box may have; what is due beyond them waits in the store. A host that hangs holds those of its lane alone. */
const MOST_PASSED = { inAll: 2_000, ofLane: 250 };
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
  /** Looks which boxes there are; what those had leased that are gone for some time is due again. */
  look(): Promise<void>;
  /** @returns false where this box is to attempt it */
  passOn(delivery: Delivery, route: Route): Promise<boolean>;
}

export const createPassOn = (
  { store, clock, limits, sessions, active, defer }: PassOnNeeds,
  most = MOST_PASSED,
): PassOn => {
  const { runId } = store;
  /** Those that take deliveries. */
  let taking: readonly [RunId, ...RunId[]] = [runId];
  let lookedAt: Millis = Number.NEGATIVE_INFINITY;
  /** By run: when it was last connected. */
  const seenAt = new Map<RunId, Millis>();
  let ending = new Set<RunId>();

  /** @returns what undoes the leases of those that have gone or begun to end; null: there are none */
  const find = async (): Promise<((tx: Tx) => Promise<void>) | null> => {
    lookedAt = clock.now();
    const found = await store.findRuns();
    for (const each of found) seenAt.set(each.runId, lookedAt);
    seenAt.set(runId, lookedAt);
    const gone = [...seenAt].filter(([, at]) => lookedAt - at >= GONE_AFTER_MS);
    for (const [run] of gone) seenAt.delete(run);
    const before = ending;
    ending = new Set(found.filter(({ isEnding }) => isEnding).map((each) => each.runId));
    taking = [runId, ...[...seenAt.keys()].filter((run) => run !== runId && !ending.has(run))];
    const begun = [...ending].filter((run) => !before.has(run));
    if (gone.length === 0 && begun.length === 0) return null;
    return async (tx) => {
      if (gone.length > 0) await voidGone(tx);
      for (const run of begun) await returnPassed(tx, run);
    };
  };
  const voidGone = (tx: Tx): Promise<void> => voidLeases(tx, [...seenAt.keys()]);

  const isHere = ({ name }: Destination): boolean => active.has(name) || limits.inFlightWith(name) > 0;

  const pass = async ({ id }: Delivery, first: Destination, lane: number, to: RunId): Promise<boolean> => {
    if (isHere(first)) return false;
    await sessions.dropAllOf(first.name);
    const until = clock.now() + TAKEN_WITHIN_MS;
    return store.write((tx) => passDelivery(tx, id, { by: runId, to, lane, until, most }));
  };

  return {
    lead: async () => {
      await find();
      await store.write(async (tx) => {
        await voidGone(tx);
        await returnPassed(tx, runId);
      });
    },
    look: async () => {
      if (Math.abs(clock.now() - lookedAt) < LOOK_EVERY_MS) return;
      const undo = await find();
      if (undo) await store.write(undo);
    },
    passOn: async (delivery, [first]) => {
      if (seenAt.size <= 1 || !first) return false;
      const lane = laneOf(first.name);
      const to = ownerOf(lane, taking);
      // No host has such a name.
      const waiting = `(lane ${lane})`;
      if (!limits.isBackedOff(waiting)) {
        if (to !== runId && (await pass(delivery, first, lane, to))) return true;
        if (to === runId && !(await isLaneHeldElsewhere(store.read, lane, runId))) return false;
      }
      limits.holdBack(waiting, ASK_AGAIN_MS);
      await defer(delivery, waiting);
      return true;
    },
  };
};
