/**
 * tap's `match` takes an array in a pattern as the beginning of one: `[]` matches every array. In tests an array is matched
 * whole; `{ 0: first }` matches its beginning, `Array` any.
 */

import { Has, Match } from 'tcompare';

/** How the base of all comparisons takes an array: as it is. {@link Has}, which match is, cuts it to the length of the pattern. */
const whole = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Object.getPrototypeOf(Has)).prototype,
  'objectAsArray',
);

export const matchWholeArrays = (): void => {
  if (!whole) throw new Error('tcompare has no objectAsArray.');
  Object.defineProperty(Match.prototype, 'objectAsArray', whole);
};
