/**
 * How much of an endpoint's mail may be under way at once. One that answers soon is given more with every answer; one
 * that fails or is slow gets one at a time, and shares a part of all places with its like, so that however many of them
 * there are, the others have room.
 */

import { type Millis, SECOND } from '../kernel/clock.ts';

const MOST_OF_LANE = 16;
const SLOW_MS = 2 * SECOND;

export interface Lane {
  /** Seqs of the events under way. */
  readonly underWay: Set<number>;
  /** How many may be. */
  window: number;
  /** Whether its last attempt failed or was slow. */
  isTroubled: boolean;
}

export const newLane = (): Lane => ({ underWay: new Set(), window: 1, isTroubled: false });

/** What an attempt's end says of its endpoint. */
export const learn = (lane: Lane, delivered: boolean, durationMs: Millis): void => {
  lane.isTroubled = !delivered || durationMs > SLOW_MS;
  lane.window = lane.isTroubled ? 1 : Math.min(lane.window * 2, MOST_OF_LANE);
};

export interface Places {
  readonly all: number;
  /** Of them, how many endpoints in trouble may take together. */
  readonly troubled: number;
}

export const PLACES: Places = { all: 256, troubled: 192 };

/** How many more a lane may begin now. @param busy all lanes that have something under way */
export const roomOf = (lane: Lane, busy: Iterable<Lane>, places: Places): number => {
  let taken = 0;
  let troubled = 0;
  for (const { underWay, isTroubled } of busy) {
    taken += underWay.size;
    if (isTroubled) troubled += underWay.size;
  }
  const left = places.all - taken;
  const own = lane.window - lane.underWay.size;
  return Math.max(0, Math.min(own, left, lane.isTroubled ? places.troubled - troubled : left));
};
