/** Pauses requests to a failing endpoint, then tries it once; each further failure doubles the pause. */

import type { Millis } from '../../kernel/clock.ts';

export interface CircuitBreaker {
  /** Whether a request may be made; true once per pause while it is open. */
  mayTry(): boolean;
  succeeded(): void;
  failed(reason: string): void;
}

export interface CircuitBreakerOptions {
  /** Monotonic, in milliseconds. */
  now: () => number;
  /** Failures in a row that open it. */
  failures: number;
  pauseMs: Millis;
  maxPauseMs: Millis;
  /** Called with the reason when it opens, with null when it closes. */
  onChange: (reason: string | null) => void;
}

export const createCircuitBreaker = ({
  now,
  failures,
  pauseMs,
  maxPauseMs,
  onChange,
}: CircuitBreakerOptions): CircuitBreaker => {
  let inRow = 0;
  /** Null: closed. */
  let open: { until: number; pause: Millis; isTried: boolean } | null = null;
  const openFor = (pause: Millis): void => {
    open = { until: now() + pause, pause, isTried: false };
  };
  return {
    mayTry: () => {
      if (!open) return true;
      if (now() < open.until) return false;
      // Only this request is made; the others wait for its result.
      open.until = now() + open.pause;
      open.isTried = true;
      return true;
    },
    succeeded: () => {
      inRow = 0;
      if (!open) return;
      open = null;
      onChange(null);
    },
    failed: (reason) => {
      inRow += 1;
      if (open) {
        // A request from before the pause does not extend it.
        if (open.isTried) openFor(Math.min(open.pause * 2, maxPauseMs));
      } else if (inRow >= failures) {
        openFor(pauseMs);
        onChange(reason);
      }
    },
  };
};
