/** Of a sorted list. @param share in [0, 1] */
const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

export interface Percentiles {
  readonly median: number;
  readonly p99: number;
  readonly worst: number;
}

export const percentilesOf = (times: readonly number[]): Percentiles => {
  const sorted = times.toSorted((a, b) => a - b);
  return { median: at(sorted, 0.5), p99: at(sorted, 0.99), worst: sorted.at(-1) ?? Number.NaN };
};
