/**
 * Which box sends to a destination. Destinations are spread over lanes, and each lane belongs to one box by rendezvous
 * hashing (Thaler and Ravishankar, 1998): where a box comes or goes, only its own lanes move.
 */

import { crc32 } from 'node:zlib';

/** Many more than boxes, so that each has its part. */
export const LANES = 65_536;

/** @param host the mail host's name, or the smarthost's */
export const laneOf = (host: string): number => crc32(host) % LANES;

/** The last step of MurmurHash3: each bit of the result depends on all bits. */
const mix = (value: number): number => {
  const one = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  const two = Math.imul(one ^ (one >>> 13), 0xc2b2ae35);
  return (two ^ (two >>> 16)) >>> 0;
};

/** A box, as it bids for lanes. */
export const seedOf = (box: string): number => mix(crc32(box));

/** The highest bid has the lane. */
export const bid = (lane: number, seed: number): number => mix(seed ^ Math.imul(lane + 1, 0x9e3779b1));

/** @param boxes at least one */
export const ownerOf = <B extends string>(lane: number, boxes: readonly [B, ...B[]]): B =>
  boxes.reduce((owner, box) => (bid(lane, seedOf(box)) > bid(lane, seedOf(owner)) ? box : owner));
