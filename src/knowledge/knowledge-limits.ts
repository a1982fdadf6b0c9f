/** Limits of one source and of its crawl. */

import { MINUTE, type Millis, SECOND } from '../kernel/clock.ts';

export interface KnowledgeLimits {
  readonly pages: number;
  readonly depth: number;
  /** Octets of one page, and of all that one crawl fetches. */
  readonly pageOctets: number;
  readonly octets: number;
  /** Duration of one crawl, waits included. */
  readonly crawlMs: Millis;
  /** Pause between two requests to a host, and the longest crawl-delay of a robots.txt that is followed. */
  readonly intervalMs: Millis;
  readonly maxDelayMs: Millis;
  /** Pause after an answer 429 without a `Retry-After`, and the longest `Retry-After` that is followed. */
  readonly pauseMs: Millis;
  readonly maxPauseMs: Millis;
  /** Duration of one exchange, from DNS to the last octet. */
  readonly fetchMs: Millis;
  readonly redirects: number;
  /** URLs that a crawl remembers, and of these the number that it fetches, broken ones included. */
  readonly knownUrls: number;
  readonly fetches: number;
  readonly sitemaps: number;
}

export const KNOWLEDGE_LIMITS: KnowledgeLimits = {
  pages: 500,
  depth: 5,
  pageOctets: 5 * 1024 * 1024,
  octets: 50 * 1024 * 1024,
  crawlMs: 10 * MINUTE,
  intervalMs: 200,
  maxDelayMs: 5 * SECOND,
  pauseMs: 10 * SECOND,
  maxPauseMs: MINUTE,
  fetchMs: 20 * SECOND,
  redirects: 5,
  knownUrls: 3_000,
  fetches: 1_500,
  sitemaps: 10,
};

/** Crawls in progress: of the instance, and of one workspace. Their fetches queue in the budget. */
export const MAX_CRAWLS = 64;
export const MAX_CRAWLS_OF_WORKSPACE = 2;

/** So many deleted sources of a workspace may still have pages. Beyond that none is added until they are gone. */
export const MAX_REMOVED_SOURCES = 200;
