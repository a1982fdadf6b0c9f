/** What one source may take, and how its crawl goes about it. */

import { MINUTE, type Millis, SECOND } from '../kernel/clock.ts';

export interface KnowledgeLimits {
  readonly pages: number;
  readonly depth: number;
  /** Octets of one page, and of all that one crawl fetches. */
  readonly pageOctets: number;
  readonly octets: number;
  /** Of one crawl, waits included. */
  readonly crawlMs: Millis;
  /** Between two requests to a host, and the longest crawl-delay that a robots.txt is granted. */
  readonly intervalMs: Millis;
  readonly maxDelayMs: Millis;
  /** One exchange, from DNS to the last octet. */
  readonly fetchMs: Millis;
  readonly redirects: number;
  /** URLs that a crawl remembers, and those of them that it fetches, broken ones included. */
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
  fetchMs: 20 * SECOND,
  redirects: 5,
  knownUrls: 3_000,
  fetches: 1_500,
  sitemaps: 10,
};

/** Crawls in progress: of the instance, and of one workspace. Their fetches take turns in the budget's queue. */
export const MAX_CRAWLS = 64;
export const MAX_CRAWLS_OF_WORKSPACE = 2;

/** Sources of a workspace, whatever its plan: a list has each of them. */
export const MAX_SOURCES = 200;
