/** Vectors as they are kept: of length 1, each number as an octet. Of the cosine of two, three decimals stay. */

/** -127 to 127 for -1 to 1. */
const SCALE = 127;

/** Null where they have no direction, or are no numbers. */
export const toUnitVector = (numbers: readonly unknown[]): Buffer | null => {
  let largest = 0;
  for (const each of numbers) {
    if (typeof each !== 'number' || !Number.isFinite(each)) return null;
    largest = Math.max(largest, Math.abs(each));
  }
  if (largest === 0) return null;
  // By the largest first, so that no square overflows.
  const scaled = Float64Array.from(numbers as readonly number[], (each) => each / largest);
  const length = Math.sqrt(scaled.reduce((sum, each) => sum + each * each, 0));
  return Buffer.from(Int8Array.from(scaled, (each) => Math.round((each / length) * SCALE)).buffer);
};
