/** How an endpoint for embeddings is asked, and left alone. */

import { MINUTE, type Millis, SECOND } from '../../kernel/clock.ts';

export interface EmbeddingLimits {
  /** Passages of one request, and numbers of its answer: a long one would hold up the main thread while it is parsed. */
  readonly passages: number;
  readonly numbers: number;
  /** Between two requests for passages, and for one of them. */
  readonly intervalMs: Millis;
  readonly batchMs: Millis;
  /** After a failure; each further one doubles it, up to the second. */
  readonly backOffMs: Millis;
  readonly maxBackOffMs: Millis;
  /** For the vector of a search, which goes by words alone after it. */
  readonly queryMs: Millis;
  /** Vectors of searches that are waited for at once, and those that are remembered. */
  readonly queries: number;
  readonly remembered: number;
  /** Failures in a row after which searches do without for a while. */
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
