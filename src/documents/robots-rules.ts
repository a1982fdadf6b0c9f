/** The rules of a robots.txt (RFC 9309) for this crawler. Runs in a worker thread: patterns of a hostile file are costly. */

import robotsParser from 'robots-parser';

/** The package exports its function under CommonJS, and types it as a default export. */
const parseRobots = robotsParser as unknown as typeof robotsParser.default;

/** The product token (RFC 9309 section 2.2.1). */
const CRAWLER = 'Postroom';

export interface RobotsRules {
  isAllowed(url: string): boolean;
  /** Null: none is stated. */
  readonly crawlDelaySeconds: number | null;
  readonly sitemaps: string[];
}

/** @param text null: there is no robots.txt, and all is allowed */
export const readRobotsRules = (text: string | null, origin: string): RobotsRules => {
  if (text === null) return { isAllowed: () => true, crawlDelaySeconds: null, sitemaps: [] };
  const robots = parseRobots(new URL('/robots.txt', origin).href, text);
  const delay = robots.getCrawlDelay(CRAWLER);
  return {
    isAllowed: (url) => robots.isAllowed(url, CRAWLER) ?? true,
    crawlDelaySeconds: delay !== undefined && Number.isFinite(delay) && delay >= 0 ? delay : null,
    sitemaps: robots.getSitemaps(),
  };
};
