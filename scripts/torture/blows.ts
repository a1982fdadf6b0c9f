/** What strikes the daemon: kills, a disk that is full, a clock that jumps, connections that break. */

import { setTimeout as delay } from 'node:timers/promises';
import { limitFiles } from '../../test/harness/process.ts';
import type { Random } from '../fuzz/random.ts';
import type { World } from './world.ts';

export type Blow = 'kill' | 'disk' | 'clock' | 'cut';

/** Seconds off the real time that the clock jumps between; the last is where a run ends, so that all is due by then. */
const CLOCKS = [0, -2, 90, -90, 1_800];
export const LAST_CLOCK = 3 * 3_600;
const FULL_DISK_MS = 3_000;
/** A file may not grow past this: every write fails. */
const FULL_AT = 4_096;
/** Other blows between two kills. */
const BLOW_EVERY_MS = 4_000;

/** Resolves early, and looks once in a while whether all is over. */
const rest = async (ms: number, isOver: () => boolean): Promise<void> => {
  const end = performance.now() + ms;
  while (!isOver() && performance.now() < end) await delay(Math.min(500, Math.max(end - performance.now(), 0)));
};

/** A blow that fell, on the monotonic clock of the one who strikes, in ms. */
export interface Struck {
  readonly blow: Blow;
  readonly from: number;
  /** No end yet: infinite. */
  to: number;
}

/** Strikes until `isOver`; each kill 2 to 30 s after the last start. */
export const strike = async (
  world: World,
  random: Random,
  struck: Struck[],
  isOver: () => boolean,
  kills: boolean,
): Promise<void> => {
  const { box } = world;
  const fall = async (blow: Blow, act: () => Promise<void> | void): Promise<void> => {
    const fallen: Struck = { blow, from: performance.now(), to: Number.POSITIVE_INFINITY };
    struck.push(fallen);
    await act();
    fallen.to = performance.now();
  };
  /** The process may be gone between two looks at it. */
  const limit = (bytes: number | 'unlimited'): void => {
    try {
      limitFiles(box.daemon.pid, bytes);
    } catch {
      // It has ended; the next one has no limit.
    }
  };
  const blows: readonly (() => Promise<void>)[] = [
    () =>
      fall('disk', async () => {
        limit(FULL_AT);
        await rest(random.below(FULL_DISK_MS), isOver);
        limit('unlimited');
      }),
    () => fall('clock', () => world.setClock(random.pick(CLOCKS))),
    () =>
      fall('cut', () => {
        world.box.instance.receiver.cut();
        world.hooks.cut();
      }),
  ];
  while (!isOver()) {
    const until = performance.now() + 2_000 + random.below(28_000);
    while (!isOver() && performance.now() < until) {
      await rest(Math.min(random.below(BLOW_EVERY_MS), until - performance.now()), isOver);
      if (!isOver()) await random.pick(blows)();
    }
    if (!kills || isOver()) continue;
    await fall('kill', () => world.restart('SIGKILL'));
  }
};
