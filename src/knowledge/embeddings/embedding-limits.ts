/** Limits of requests to an endpoint for embeddings, and its back-off. */

import { MINUTE, type Millis, SECOND } from '../../kernel/clock.ts';

export interface EmbeddingLimits {
  /** Passages of one request, and numbers of its answer: parsing a long one would block the main thread. */
  readonly passages: number;
  readonly numbers: number;
  /** Pause between two requests for passages, and time-out of one. */
  readonly intervalMs: Millis;
  readonly batchMs: Millis;
  /** Back-off after a failure; each further one doubles it, up to the second. */
  readonly backOffMs: Millis;
  readonly maxBackOffMs: Millis;
  /** Time-out for a search's vector; the search then goes by words alone. */
  readonly queryMs: Millis;
  /** Concurrent requests for vectors of searches, and cached vectors. */
  readonly queries: number;
  readonly remembered: number;
  /** Failures in a row after which searches go without vectors for a while. */
  readonly failures: number;
}

export const EMBEDDING_LIMITS: EmbeddingLimits = {
  passages: 32,
  numbers: 16_384,
  intervalMs: 250,
  batchMs: 30 * SECOND,
  backOffMs: 5 * SECOND,
  maxBackOffMs: 10 * MINUTE,
  queryMs: 300,
  queries: 8,
  remembered: 1_000,
  failures: 3,
};
