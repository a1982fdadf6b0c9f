/**
 * tap's `match` takes an array in a pattern as the beginning of one: `[]` matches every array. In tests an array is matched
 * whole; `{ 0: first }` matches its beginning, `Array` any.
 */

import { Has, Match } from 'tcompare';

/** Of the array itself; that of {@link Has} is as long as the pattern. */
const whole = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Object.getPrototypeOf(Has)).prototype,
  'objectAsArray',
);

export const matchWholeArrays = (): void => {
  if (!whole) throw new Error('tcompare has no objectAsArray.');
  Object.defineProperty(Match.prototype, 'objectAsArray', whole);
};
