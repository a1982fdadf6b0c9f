/** Lanes of destinations over many boxes, simulated: how even they are, what moves, and that no two boxes send to one lane. */

import t from 'tap';
import { bid, LANES, laneOf, ownerOf, seedOf } from '../../../../src/outbound/queue/lanes.ts';

const BOXES = 1_000;
const DESTINATIONS = 10_000_000;

/** The owner of each lane, as a box after the other bids for it. */
class Owners {
  readonly #owners = new Int32Array(LANES).fill(-1);
  readonly #bids = new Float64Array(LANES).fill(-1);
  readonly #boxes = new Map<number, number>();

  /** @returns the lanes that it takes */
  join(box: number): number[] {
    const seed = seedOf(`box-${box}`);
    this.#boxes.set(box, seed);
    const taken: number[] = [];
    for (let lane = 0; lane < LANES; lane += 1) {
      const offered = bid(lane, seed);
      if (offered <= (this.#bids[lane] ?? 0)) continue;
      this.#bids[lane] = offered;
      this.#owners[lane] = box;
      taken.push(lane);
    }
    return taken;
  }

  /** @returns the lanes that it had */
  leave(box: number): number[] {
    this.#boxes.delete(box);
    const left = this.lanesOf(box);
    for (const lane of left) {
      const bids = [...this.#boxes].map(([each, seed]) => [bid(lane, seed), each] as const);
      const [offered, owner] = bids.reduce((best, each) => (each[0] > best[0] ? each : best));
      this.#bids[lane] = offered;
      this.#owners[lane] = owner;
    }
    return left;
  }

  ownerOf(lane: number): number {
    return this.#owners[lane] ?? -1;
  }

  lanesOf(box: number): number[] {
    return [...this.#owners.keys()].filter((lane) => this.#owners[lane] === box);
  }

  all(): Int32Array {
    return this.#owners.slice();
  }
}

t.test(
  'a thousand boxes share ten million destinations, and what comes or goes moves its own part alone',
  async (t) => {
    const owners = new Owners();
    for (let box = 0; box < BOXES; box += 1) owners.join(box);

    const destinations = new Uint32Array(BOXES);
    const inLane = new Uint32Array(LANES);
    for (let number = 0; number < DESTINATIONS; number += 1) {
      const lane = laneOf(`mx.d${number}.test`);
      inLane[lane] = (inLane[lane] ?? 0) + 1;
    }
    for (const [lane, count] of inLane.entries()) {
      const owner = owners.ownerOf(lane);
      destinations[owner] = (destinations[owner] ?? 0) + count;
    }
    const mean = DESTINATIONS / BOXES;
    t.ok(Math.max(...destinations) < 1.6 * mean, `the most that a box has is ${Math.max(...destinations)} of ${mean}`);
    t.ok(Math.min(...destinations) > 0.5 * mean, `the least is ${Math.min(...destinations)}`);
    t.ok(Math.max(...inLane) < 2 * (DESTINATIONS / LANES), 'lanes are as long as one another');

    for (const [round, change] of (['join', 'leave', 'join', 'leave'] as const).entries()) {
      const before = owners.all();
      const box = change === 'join' ? BOXES + round : 17 * round;
      const moved = new Set(owners[change](box));
      const after = owners.all();
      const changed = [...after.keys()].filter((lane) => after[lane] !== before[lane]);
      t.same(
        changed,
        [...moved].sort((one, other) => one - other),
        `${change}: no lane moves between two others`,
      );
      t.ok(moved.size > 0 && moved.size < 2 * (LANES / BOXES), `${moved.size} of ${LANES} lanes move`);
    }
  },
);

t.test('the owner does not depend on the order in which boxes are known', async (t) => {
  const boxes = ['one', 'two', 'three'] as const;
  const owners = Array.from({ length: 300 }, (_, lane) => ownerOf(lane, boxes));
  t.same(
    Array.from({ length: 300 }, (_, lane) => ownerOf(lane, ['three', 'one', 'two'])),
    owners,
  );
  t.same(new Set(owners), new Set(boxes));
  t.equal(ownerOf(1, ['alone']), 'alone');
});
