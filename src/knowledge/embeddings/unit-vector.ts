/** Vectors in their stored form: of length 1, each number as an octet. The cosine of two keeps three decimals. */

/** -127 to 127 for -1 to 1. */
const SCALE = 127;

/** Null for a vector without direction, or with values that are no numbers. */
export const toUnitVector = (numbers: readonly unknown[]): Buffer | null => {
  let largest = 0;
  for (const each of numbers) {
    if (typeof each !== 'number' || !Number.isFinite(each)) return null;
    largest = Math.max(largest, Math.abs(each));
  }
  if (largest === 0) return null;
  // Scaled by the largest first, so that no square overflows.
  const scaled = Float64Array.from(numbers as readonly number[], (each) => each / largest);
  const length = Math.sqrt(scaled.reduce((sum, each) => sum + each * each, 0));
  return Buffer.from(Int8Array.from(scaled, (each) => Math.round((each / length) * SCALE)).buffer);
};
