/** Time and randomness as dependencies, so that a test sets both. */

/** Epoch milliseconds, an integer: the unit of time in the code and in the store. */
export type Millis = number;

export interface Clock {
  now(): Millis;
}

export const systemClock: Clock = { now: () => Date.now() };

/**
 * Milliseconds that measure durations: no change of the clock moves them, and all threads share them. The zero is
 * arbitrary, so a value is neither stored nor sent.
 */
export const steadyClock: Clock = { now: () => Number(process.hrtime.bigint() / 1_000_000n) };

/** Returns `size` bytes from a cryptographic source. */
export type RandomBytes = (size: number) => Uint8Array;

export const SECOND: Millis = 1000;
export const MINUTE: Millis = 60 * SECOND;
export const HOUR: Millis = 60 * MINUTE;
export const DAY: Millis = 24 * HOUR;

/**
 * Whether a time that is kept in memory is still to come. A time further ahead than `span` counts as past: it was set
 * before the clock was set back.
 */
export const isAhead = (at: Millis, now: Millis, span: Millis): boolean => at > now && at - now <= span;

/** Formats the timestamp of the wire: ISO 8601, UTC, milliseconds. */
export const isoTime = (at: Millis): string => new Date(at).toISOString();
export const isoTimeOrNull = (at: Millis | null): string | null => (at === null ? null : isoTime(at));
